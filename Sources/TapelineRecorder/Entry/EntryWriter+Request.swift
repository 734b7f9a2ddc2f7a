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
    appendURL(of: head, to: &writer)
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
  private mutating func appendURL(of head: RequestHead, to writer: inout JSONWriter) {
    var url = EntryURL.text(of: head)
    if redactor != nil {
      scratch.removeAll(keepingCapacity: true)
      redactor?.appendURL(url.span, to: &scratch)
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
      let value = fields.valueRange(at: index)
      if redactor != nil {
        scratch.removeAll(keepingCapacity: true)
        redactor?.appendCookies(octets.span.extracting(value), to: &scratch)
        CookieWriter.append(cookies: scratch.span, to: &writer)
      } else {
        CookieWriter.append(cookies: octets.span.extracting(value), to: &writer)
      }
    }
  }

  /// Appends `,"postData":{…}`: the text is always there, whatever the method and the body.
  private mutating func appendPostData(_ body: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter) {
    let media = MediaType(of: fields)
    writer.append(json: #","postData":{"mimeType":"#)
    media.append(to: &writer)
    writer.append(json: #","text":"#)
    if media.isForm, fields.firstIndex(of: .contentEncoding) == nil {
      appendForm(body, to: &writer)
    } else if append(body, media, fields, to: &writer) == .base64 {
      writer.append(json: #","_encoding":"base64""#)
    }
    appendTruncation(of: body, to: &writer)
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// Appends the text of a form without its secrets, and its `params`.
  private mutating func appendForm(_ body: BodyCapture, to writer: inout JSONWriter) {
    var form = body.octets
    if redactor != nil {
      scratch.removeAll(keepingCapacity: true)
      redactor?.appendParameters(form.span, to: &scratch)
      swap(&form, &scratch)
    }
    writer.append(text: form.span)
    writer.append(json: #","params":["#)
    ParameterWriter.append(form.span, to: &writer)
    writer.append(octet: UInt8(ascii: "]"))
  }
}
