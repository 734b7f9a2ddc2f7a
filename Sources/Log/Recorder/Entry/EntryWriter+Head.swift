internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineRedaction
internal import TapelineBase

extension EntryWriter {
  /// Appends `,"request":{…}`.
  mutating func appendRequest(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    guard let head = record.request, let fields = parts.request else {
      // The client's bytes were not a request, or there was none, but HAR requires a method and an absolute URL.
      writer.append(
        json: record.failure?.kind == .crash
          ? #","request":{"method":"CRASH","url":"http://tapeline.invalid/crash","httpVersion":"unknown","#
          : #","request":{"method":"INVALID","url":"http://invalid.invalid/","httpVersion":"unknown","#)
      writer.append(json: #""cookies":[],"headers":[],"queryString":[],"headersSize":-1,"bodySize":-1}"#)
      return
    }
    writer.append(json: #","request":{"method":"#)
    writer.append(string: shown(head.method.rawValue))
    appendURL(of: parts, to: &writer)
    writer.append(json: #","httpVersion":"#)
    append(head.version, to: &writer)
    writer.append(json: #","cookies":["#)
    appendCookies(of: fields, to: &writer)
    writer.append(json: #"],"headers":["#)
    append(fields, parts.requestLines, to: &writer)
    writer.append(json: #"]"#)
    if let fields = parts.pseudoFields { append(fields, to: &writer) }
    appendHeadSize(head.size, in: head.version, to: &writer)
    writer.append(json: #","bodySize":"#)
    switch record.kind {
    case .exchange: writer.append(integer: record.requestBody.size)
    case .tunnel(let toServer, _): writer.append(integer: toServer)
    }
    if let body = parts.requestBody { appendPostData(body, MediaType(of: head.fields), to: &writer) }
    if let side = record.requestEndedBy {
      writer.append(member: .endedBy)
      writer.append(string: side.rawValue)
    }
    if let trailers = parts.requestTrailers, !trailers.fields.isEmpty {
      writer.append(member: .trailers)
      writer.append(byte: UInt8(ascii: "["))
      append(trailers, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends `,"url":…,"queryString":[…]`, both from the redacted URL.
  private func appendURL(of parts: EntryParts, to writer: inout JSONWriter) {
    if let members = parts.urlMembers {
      headLines.append(members, to: &writer)
    } else {
      EntryURL.appendMembers(of: parts.url, to: &writer)
    }
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
  private mutating func appendPostData(_ body: EntryBody, _ media: MediaType, to writer: inout JSONWriter) {
    writer.append(json: #","postData":{"mimeType":"#)
    append(media, to: &writer)
    appendText(of: body, in: .postData, to: &writer)
    if body.error == nil { appendParameters(of: body, media, to: &writer) }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// Appends the fields of a form as `params`.
  private func appendParameters(of body: EntryBody, _ media: MediaType, to writer: inout JSONWriter) {
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
    append(fields, parts.responseLines, to: &writer)
    writer.append(json: #"],"content":{"#)
    if let body = parts.responseBody { appendContent(body, of: record.responseBody, head.fields, to: &writer) }
    writer.append(json: #"},"redirectURL":"#)
    appendRedirect(of: fields, to: &writer)
    appendHeadSize(head.size, in: head.version, to: &writer)
    writer.append(json: #","bodySize":"#)
    writer.append(integer: record.responseBody.size)
    if let trailers = parts.responseTrailers, !trailers.fields.isEmpty {
      writer.append(member: .trailers)
      writer.append(byte: UInt8(ascii: "["))
      append(trailers, to: &writer)
      writer.append(byte: UInt8(ascii: "]"))
    }
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// No response came from an origin: a failure, or an answer by the proxy itself, such as the 200 that opens a tunnel. What a
  /// client is told of a failure is no response.
  private func appendSkeleton(of record: ExchangeRecord, to writer: inout JSONWriter) {
    let tunnel = record.openTunnel
    let size = tunnel.map { Int64(clamping: $0.toClient) } ?? -1
    writer.append(json: #","response":{"status":"#)
    let answer = tunnel?.status ?? record.ownAnswer
    writer.append(integer: answer ?? 0)
    writer.append(json: #","statusText":"#)
    writer.append(string: tunnel != nil ? HTTPStatus.tunnelReasonPhrase : answer.map(HTTPStatus.reasonPhrase(for:)) ?? "")
    writer.append(json: #","httpVersion":"#)
    // The proxy answers in the version of the request (RFC 9113 8.5), but never in HTTP/1.0.
    writer.append(string: answer == nil ? "unknown" : max(record.request?.version ?? .http11, .http11).text)
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
    _ body: EntryBody, of capture: BodyCapture, _ fields: HeaderFields, to writer: inout JSONWriter
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

/// Describes what the proxy changed: an entry without `_changes` was relayed as it came.
extension EntryWriter {
  /// Appends `_changes`, if there are any.
  mutating func appendChanges(of record: ExchangeRecord, _ parts: EntryParts, to writer: inout JSONWriter) {
    let start = writer.count
    writer.append(member: .changes)
    writer.append(byte: UInt8(ascii: "["))
    let emptyCount = writer.count
    if let head = record.request, let fields = parts.request, let forwarding = record.requestForwarding {
      appendProtocols(of: record, to: &writer)
      append(forwarding.changes(of: head), of: fields, #"{"leg":"request","change":"#, to: &writer)
      if let trailers = parts.requestTrailers {
        let lost = lostTrailers(trailers.fields, of: head.fields, forwarding.framing, in: forwarding.version)
        append(lost, of: trailers, #"{"leg":"request","trailer":true,"change":"#, to: &writer)
      }
    }
    if let head = record.response, let fields = parts.response, let forwarding = record.responseForwarding {
      appendInterim(of: record, to: forwarding.clientVersion, to: &writer)
      append(forwarding.changes(of: head), of: fields, #"{"leg":"response","change":"#, to: &writer)
      if let trailers = parts.responseTrailers {
        let lost = lostTrailers(trailers.fields, of: head.fields, forwarding.framing, in: forwarding.clientVersion)
        append(lost, of: trailers, #"{"leg":"response","trailer":true,"change":"#, to: &writer)
      }
    }
    if writer.count == emptyCount {
      writer.truncate(to: start)
    } else {
      writer.append(byte: UInt8(ascii: "]"))
    }
  }

  private mutating func append(
    _ changes: [HeadChange], of fields: RecordedFields, _ opening: StaticString, to writer: inout JSONWriter
  ) {
    for change in changes {
      separate(in: &writer)
      writer.append(json: opening)
      switch change {
      case .added(let name, let value):
        writer.append(json: #""added","name":"#)
        writer.append(string: name)
        // A date that we add is our own clock's: it repeats nothing of a message.
        if let value { append(#","to":"#, name == FieldName.date.spelling ? value : shown(value, of: name), to: &writer) }
      case .removed(let index):
        writer.append(json: #""removed""#)
        appendLine(of: fields, at: index, to: &writer)
      case .rewritten(let index, let value):
        writer.append(json: #""rewritten""#)
        appendLine(of: fields, at: index, to: &writer)
        append(#","to":"#, shown(value, of: fields.fields.name(at: index)), to: &writer)
      case .version(let version, let sent):
        writer.append(json: #""rewritten","name":":version","from":"#)
        append(version, to: &writer)
        writer.append(json: #","to":"#)
        append(sent, to: &writer)
      case .authority(let authority, let sent):
        append(#""rewritten","name":":authority","from":"#, shown(authority), to: &writer)
        append(#","to":"#, shown(sent), to: &writer)
      }
      writer.append(byte: UInt8(ascii: "}"))
    }
  }

  private mutating func appendLine(of recorded: RecordedFields, at index: Int, to writer: inout JSONWriter) {
    writer.append(json: #","name":"#)
    let bytes = recorded.fields.bytes
    let name = bytes.span.extracting(recorded.fields.nameRange(at: index))
    if let hiddenName = redactor?.hidden(name: name) {
      writer.append(text: hiddenName.span)
    } else {
      writer.append(text: name)
    }
    writer.append(json: #","from":"#)
    recorded.withValue(at: index) { writer.append(text: $0) }
  }

  private func append(_ name: StaticString, _ text: String, to writer: inout JSONWriter) {
    writer.append(json: name)
    writer.append(string: text)
  }

  private func separate(in writer: inout JSONWriter) {
    if !writer.ends(with: UInt8(ascii: "[")) { writer.append(byte: UInt8(ascii: ",")) }
  }

  /// Trailers need chunks or HTTP/2, and fields for framing, for routing or for one hop must not be trailers (RFC 9110 6.5.1).
  private func lostTrailers(
    _ trailers: HeaderFields, of head: HeaderFields, _ framing: BodyFraming, in version: HTTPVersion
  ) -> [HeadChange] {
    guard framing == .chunked || version >= .http2 else { return trailers.indices.map { .removed($0) } }
    let hopByHop = HopByHopFields(of: head)
    return trailers.indices.filter { hopByHop.removesTrailer(trailers, at: $0) }.map { .removed($0) }
  }

  /// The protocols that the client offered inside TLS, if the server was not offered all of them.
  private mutating func appendProtocols(of record: ExchangeRecord, to writer: inout JSONWriter) {
    guard let facts = record.clientTLS?.facts, facts.offeredProtocols != facts.passedProtocols else { return }
    separate(in: &writer)
    writer.append(json: #"{"leg":"request","change":"rewritten","name":":alpn","from":"#)
    writer.append(string: shown(facts.offeredProtocols.joined(separator: ", ")))
    append(#","to":"#, shown(facts.passedProtocols.joined(separator: ", ")), to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
  }

  /// A client of HTTP/1.0 gets no interim responses (RFC 9110 15.2).
  private func appendInterim(of record: ExchangeRecord, to version: HTTPVersion, to writer: inout JSONWriter) {
    guard version < .http11 else { return }
    for head in record.informational {
      separate(in: &writer)
      writer.append(json: #"{"leg":"response","change":"removed","name":":status","from":""#)
      writer.append(integer: head.status)
      writer.append(json: #""}"#)
    }
  }
}
