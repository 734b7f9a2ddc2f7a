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
      let value = fields.valueRange(at: index)
      if redactor != nil {
        scratch.removeAll(keepingCapacity: true)
        redactor?.appendSetCookie(octets.span.extracting(value), to: &scratch)
        CookieWriter.append(setCookie: scratch.span, to: &writer)
      } else {
        CookieWriter.append(setCookie: octets.span.extracting(value), to: &writer)
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
  private mutating func appendContent(_ body: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter) {
    let media = MediaType(of: fields)
    writer.append(json: #""size":"#)
    writer.append(integer: body.size)
    if !fields.contains(.contentEncoding) {
      // Nothing was coded, so nothing was saved.
      writer.append(json: #","compression":0"#)
    }
    writer.append(json: #","mimeType":"#)
    if body.size == 0, media.isEmpty {
      writer.append(json: #""x-unknown""#)
    } else {
      media.append(to: &writer)
    }
    if !body.octets.isEmpty {
      writer.append(json: #","text":"#)
      if append(body, media, fields, to: &writer) == .base64 {
        writer.append(json: #","encoding":"base64""#)
      }
    }
    appendTruncation(of: body, to: &writer)
  }
}
