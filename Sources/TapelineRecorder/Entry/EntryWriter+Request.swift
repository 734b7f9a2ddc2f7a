internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP

extension EntryWriter {
  /// Appends `,"request":{…}`.
  mutating func appendRequest(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let head = record.request else {
      // The client's octets were no request: HAR wants a method and an absolute URL all the same.
      writer.append(json: #","request":{"method":"INVALID","url":"http://invalid.invalid/","httpVersion":"unknown","#)
      writer.append(json: #""cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":-1}"#)
      return
    }
    writer.append(json: #","request":{"method":"#)
    writer.append(string: head.method.rawValue)
    appendURL(of: head, record.implied, to: &writer)
    writer.append(json: #","httpVersion":"#)
    append(head.version, to: &writer)
    writer.append(json: #","cookies":["#)
    appendCookies(of: head.fields, to: &writer)
    writer.append(json: #"],"headers":["#)
    append(head.fields, to: &writer)
    writer.append(json: #"],"headersSize":"#)
    writer.append(integer: head.size)
    writer.append(json: #","bodySize":"#)
    switch record.kind {
    case .exchange: writer.append(integer: record.requestBody.size)
    case .tunnel(let toServer, _): writer.append(integer: toServer)
    }
    if record.requestBody.size > 0 {
      appendPostData(record.requestBody, head.fields, to: &writer)
    }
    if let trailers = record.requestTrailers, !trailers.isEmpty {
      writer.append(json: #","_trailers":["#)
      append(trailers, to: &writer)
      writer.append(octet: UInt8(ascii: "]"))
    }
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// Appends `,"url":…,"queryString":[…]`, both from the URL without its secrets.
  private mutating func appendURL(of head: RequestHead, _ implied: ImpliedOrigin?, to writer: inout JSONWriter) {
    var url = EntryURL.text(of: head, implied: implied)
    if redactor != nil {
      redactor?.redactURL(url.span, into: &scratch)
      swap(&url, &scratch)
    }
    writer.append(json: #","url":"#)
    EntryURL.append(encoded: url, to: &writer)
    writer.append(json: #","queryString":["#)
    if let mark = url.firstIndex(of: UInt8(ascii: "?")) {
      ParameterWriter.append(url.span.extracting(mark + 1..<url.count), to: &writer)
    }
    writer.append(octet: UInt8(ascii: "]"))
  }

  /// Appends the cookies of all `Cookie` lines.
  private mutating func appendCookies(of fields: HeaderFields, to writer: inout JSONWriter) {
    guard let first = fields.firstIndex(of: .cookie) else { return }
    let octets = fields.octets
    for index in first..<fields.count where fields.knownName(at: index) == .cookie {
      let value = octets.span.extracting(fields.valueRange(at: index))
      if redactor?.redact(value, of: .cookies, into: &scratch) == true {
        CookieWriter.append(cookies: scratch.span, to: &writer)
      } else {
        CookieWriter.append(cookies: value, to: &writer)
      }
    }
  }

  /// Appends `,"postData":{…}`: the text is always there, whatever the method and the body.
  private mutating func appendPostData(_ capture: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter) {
    let media = MediaType(of: fields)
    let body = prepare(capture, media, fields)
    writer.append(json: #","postData":{"mimeType":"#)
    media.append(to: &writer)
    appendText(of: body, in: .postData, to: &writer)
    if body.error == nil { appendParameters(of: body, media, to: &writer) }
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// Appends the fields of a form as `params`.
  private func appendParameters(of body: RecordedBody, _ media: MediaType, to writer: inout JSONWriter) {
    if media.isForm {
      writer.append(json: #","params":["#)
      ParameterWriter.append(body.octets.span, to: &writer)
      writer.append(octet: UInt8(ascii: "]"))
    } else if let boundary = media.boundary {
      writer.append(json: #","params":["#)
      ParameterWriter.append(MultipartForm(body.octets.span, boundary: boundary), of: body.octets.span, to: &writer)
      writer.append(octet: UInt8(ascii: "]"))
    }
  }
}
