internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineText

extension EntryWriter {
  /// Appends `,"request":{…}`.
  mutating func appendRequest(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    guard let head = record.request, let fields = parts.request else {
      // The client's bytes were not a request, but HAR requires a method and an absolute URL.
      writer.append(json: #","request":{"method":"INVALID","url":"http://invalid.invalid/","httpVersion":"unknown","#)
      writer.append(json: #""cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":-1}"#)
      return
    }
    writer.append(json: #","request":{"method":"#)
    writer.append(string: head.method.rawValue)
    appendURL(parts.url, to: &writer)
    writer.append(json: #","httpVersion":"#)
    append(head.version, to: &writer)
    writer.append(json: #","cookies":["#)
    appendCookies(of: fields, to: &writer)
    writer.append(json: #"],"headers":["#)
    append(fields, to: &writer)
    writer.append(json: #"],"headersSize":"#)
    writer.append(integer: head.size)
    writer.append(json: #","bodySize":"#)
    switch record.kind {
    case .exchange: writer.append(integer: record.requestBody.size)
    case .tunnel(let toServer, _): writer.append(integer: toServer)
    }
    if let body = parts.requestBody { appendPostData(body, MediaType(of: head.fields), to: &writer) }
    if let trailers = parts.requestTrailers, !trailers.fields.isEmpty {
      writer.append(json: #","_trailers":["#)
      append(trailers, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends `,"url":…,"queryString":[…]`, both from the redacted URL.
  private func appendURL(_ url: [UInt8], to writer: inout JSONWriter) {
    writer.append(json: #","url":"#)
    EntryURL.append(encoded: url, to: &writer)
    writer.append(json: #","queryString":["#)
    if let mark = url.firstIndex(of: UInt8(ascii: "?")) {
      ParameterWriter.append(url.span.extracting(mark + 1..<url.count), to: &writer)
    }
    writer.append(byte: UInt8(ascii: "]"))
  }

  /// Appends the cookies of all `Cookie` lines.
  private mutating func appendCookies(of recorded: RecordedFields, to writer: inout JSONWriter) {
    guard let first = recorded.fields.firstIndex(of: .cookie) else { return }
    for line in first..<recorded.fields.count where recorded.fields.knownName(at: line) == .cookie {
      redactor?.count += recorded.secretCount(at: line)
      recorded.withValue(at: line) { CookieWriter.append(cookies: $0, to: &writer) }
    }
  }

  /// Appends `,"postData":{…}`: the text is always present, for every method and body.
  private mutating func appendPostData(_ body: RecordedBody, _ media: MediaType, to writer: inout JSONWriter) {
    writer.append(json: #","postData":{"mimeType":"#)
    append(media, to: &writer)
    appendText(of: body, in: .postData, to: &writer)
    if body.error == nil { appendParameters(of: body, media, to: &writer) }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends the fields of a form as `params`.
  private func appendParameters(of body: RecordedBody, _ media: MediaType, to writer: inout JSONWriter) {
    if media.isForm {
      writer.append(json: #","params":["#)
      ParameterWriter.append(body.bytes.span, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    } else if let boundary = media.boundary(of: body.bytes.span) {
      writer.append(json: #","params":["#)
      ParameterWriter.append(MultipartForm(body.bytes.span, boundary: boundary), of: body.bytes.span, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    }
  }
}
