internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP

extension EntryWriter {
  /// Appends `,"response":{…}`; a whole skeleton with status 0 when none came.
  mutating func appendResponse(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let head = record.response else {
      appendSkeleton(of: record, to: &writer)
      return
    }
    writer.append(json: #","response":{"status":"#)
    writer.append(integer: head.status)
    writer.append(json: #","statusText":"#)
    writer.append(string: head.reason)
    writer.append(json: #","httpVersion":"#)
    append(head.version, to: &writer)
    writer.append(json: #","cookies":["#)
    appendSetCookies(of: head.fields, to: &writer)
    writer.append(json: #"],"headers":["#)
    append(head.fields, to: &writer)
    writer.append(json: #"],"content":{"#)
    appendContent(record.responseBody, head.fields, to: &writer)
    writer.append(json: #"},"redirectURL":"#)
    appendRedirect(of: head.fields, to: &writer)
    writer.append(json: #","headersSize":"#)
    writer.append(integer: head.size)
    writer.append(json: #","bodySize":"#)
    writer.append(integer: record.responseBody.size)
    if let trailers = record.responseTrailers, !trailers.isEmpty {
      writer.append(json: #","_trailers":["#)
      append(trailers, to: &writer)
      writer.append(octet: UInt8(ascii: "]"))
    }
    writer.append(octet: UInt8(ascii: "}"))
  }

  /// No response came from an origin: a failure, an answer of the proxy's own, or a tunnel, which the proxy opens by a 200.
  private func appendSkeleton(of record: ExchangeRecord, to writer: inout JSONWriter) {
    var size: Int64 = -1
    var status = 0
    if case .tunnel(_, let toClient) = record.kind, let local = record.localStatus, (200..<300).contains(local) {
      size = Int64(clamping: toClient)
      status = local
    }
    writer.append(json: #","response":{"status":"#)
    writer.append(integer: status)
    writer.append(json: #","statusText":"#)
    writer.append(string: status == 0 ? "" : "Connection Established")
    writer.append(json: #","httpVersion":"#)
    writer.append(string: status == 0 ? "unknown" : "HTTP/1.1")
    writer.append(json: #","cookies":[],"headers":[],"content":{"size":"#)
    writer.append(integer: max(0, size))
    writer.append(json: #","mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":"#)
    writer.append(integer: size)
    writer.append(octet: UInt8(ascii: "}"))
  }

  private mutating func appendSetCookies(of fields: HeaderFields, to writer: inout JSONWriter) {
    guard let first = fields.firstIndex(of: .setCookie) else { return }
    let octets = fields.octets
    for index in first..<fields.count where fields.knownName(at: index) == .setCookie {
      let value = octets.span.extracting(fields.valueRange(at: index))
      if redactor?.redact(value, of: .setCookie, into: &scratch) == true {
        CookieWriter.append(setCookie: scratch.span, to: &writer)
      } else {
        CookieWriter.append(setCookie: value, to: &writer)
      }
    }
  }

  private mutating func appendRedirect(of fields: HeaderFields, to writer: inout JSONWriter) {
    guard let index = fields.firstIndex(of: .location) else {
      writer.append(json: #""""#)
      return
    }
    appendValue(of: fields, at: index, to: &writer)
  }

  /// Appends the members of `content`.
  private mutating func appendContent(_ capture: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter) {
    let media = MediaType(of: fields)
    let body = prepare(capture, media, fields)
    writer.append(json: #""size":"#)
    writer.append(integer: body.size)
    if body.isSizeKnown, body.error == nil, isDecodedSize(of: capture, fields) {
      writer.append(json: #","compression":"#)
      writer.append(integer: Int64(clamping: body.size) - Int64(clamping: capture.size))
    }
    writer.append(json: #","mimeType":"#)
    media.append(to: &writer)
    appendText(of: body, in: .content, to: &writer)
  }

  /// Whether what was kept of a body tells how large it is after decoding: always when nothing is to be decoded.
  private func isDecodedSize(of capture: BodyCapture, _ fields: HeaderFields) -> Bool {
    !fields.contains(.contentEncoding) || capture.size == 0 || !capture.octets.isEmpty
  }
}
