internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineText

extension EntryWriter {
  /// Appends `,"response":{…}`; a skeleton with status 0 when no response came.
  mutating func appendResponse(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    guard let head = record.response, let fields = parts.response else {
      appendSkeleton(of: record, to: &writer)
      return
    }
    writer.append(json: #","response":{"status":"#)
    writer.append(integer: head.status)
    writer.append(json: #","statusText":"#)
    writer.append(string: parts.reason)
    writer.append(json: #","httpVersion":"#)
    append(head.version, to: &writer)
    writer.append(json: #","cookies":["#)
    appendSetCookies(of: fields, to: &writer)
    writer.append(json: #"],"headers":["#)
    append(fields, to: &writer)
    writer.append(json: #"],"content":{"#)
    if let body = parts.responseBody { appendContent(body, of: record.responseBody, head.fields, to: &writer) }
    writer.append(json: #"},"redirectURL":"#)
    appendRedirect(of: fields, to: &writer)
    writer.append(json: #","headersSize":"#)
    writer.append(integer: head.size)
    writer.append(json: #","bodySize":"#)
    writer.append(integer: record.responseBody.size)
    if let trailers = parts.responseTrailers, !trailers.fields.isEmpty {
      writer.append(json: #","_trailers":["#)
      append(trailers, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// No response came from an origin: a failure, an answer by the proxy itself, or a tunnel, which the proxy opens with a 200.
  private func appendSkeleton(of record: ExchangeRecord, to writer: inout JSONWriter) {
    let tunnel = record.openTunnel
    let size = tunnel.map { Int64(clamping: $0.toClient) } ?? -1
    writer.append(json: #","response":{"status":"#)
    writer.append(integer: tunnel?.status ?? 0)
    writer.append(json: #","statusText":"#)
    writer.append(string: tunnel == nil ? "" : HTTPStatus.tunnelReasonPhrase)
    writer.append(json: #","httpVersion":"#)
    writer.append(string: tunnel == nil ? "unknown" : "HTTP/1.1")
    writer.append(json: #","cookies":[],"headers":[],"content":{"size":"#)
    writer.append(integer: max(0, size))
    writer.append(json: #","mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":"#)
    writer.append(integer: size)
    writer.append(byte: UInt8(ascii: "}"))
  }

  private mutating func appendSetCookies(of recorded: RecordedFields, to writer: inout JSONWriter) {
    guard let first = recorded.fields.firstIndex(of: .setCookie) else { return }
    for line in first..<recorded.fields.count where recorded.fields.knownName(at: line) == .setCookie {
      redactor?.count += recorded.secretCount(at: line)
      recorded.withValue(at: line) { CookieWriter.append(setCookie: $0, to: &writer) }
    }
  }

  private mutating func appendRedirect(of recorded: RecordedFields, to writer: inout JSONWriter) {
    guard let line = recorded.fields.firstIndex(of: .location) else {
      writer.append(json: #""""#)
      return
    }
    redactor?.count += recorded.secretCount(at: line)
    recorded.withValue(at: line) { writer.append(text: $0) }
  }

  /// Appends the members of `content`.
  private mutating func appendContent(
    _ body: RecordedBody, of capture: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter
  ) {
    let media = MediaType(of: fields)
    writer.append(json: #""size":"#)
    writer.append(integer: body.size)
    if body.isSizeKnown, body.error == nil, isDecodedSize(of: capture, fields) {
      writer.append(json: #","compression":"#)
      writer.append(integer: Int64(clamping: body.size) - Int64(clamping: capture.size))
    }
    writer.append(json: #","mimeType":"#)
    append(media, to: &writer)
    appendText(of: body, in: .content, to: &writer)
  }

  /// Whether the kept bytes of a body determine its size after decoding: always true for a body without codings.
  private func isDecodedSize(of capture: BodyCapture, _ fields: HeaderFields) -> Bool {
    !fields.contains(.contentEncoding) || capture.size == 0 || !capture.bytes.isEmpty
  }
}
