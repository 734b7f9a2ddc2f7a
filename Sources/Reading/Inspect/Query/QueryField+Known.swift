internal import TapelineBase
internal import TapelineHAR

extension QueryField {
  /// The fields that have a name of their own.
  enum Known: String, CaseIterable, Hashable, Sendable {
    case number, method, url, scheme, host, port, origin, path, status
    case statusText = "status.text"
    case version, mime, type, page
    case pageID = "pageref"
    case start, ip, connection, comment
    case time, total, client, proxy, blocked, dns, connect, ssl, send, wait, receive
    case requestSize = "req.size"
    case requestHeadSize = "req.head.size"
    case requestBody = "req.body"
    case requestMime = "req.mime"
    case requestVersion = "req.version"
    case responseSize = "resp.size"
    case responseHeadSize = "resp.head.size"
    case responseBody = "resp.body"
    case contentSize = "content.size"
    case redirect
    case error
    case errorMessage = "error.message"
    case errorOrigin = "error.origin"
    case errorPhase = "error.phase"
    case errorKind = "error.kind"
    case ended, changed, injected
    /// Only HTTP/2 has these.
    case stream, reset
    case grpc
    case grpcMessages = "grpc.messages"
    /// Only streams have these.
    case events
    case eventFirst = "event.first"
    case eventGap = "event.gap"
    case eventGap50 = "event.gap.p50"
    case eventGap99 = "event.gap.p99"
    case eventGapMax = "event.gap.max"
    case eventStalls = "event.stalls"
    case eventRate = "event.rate"
    /// HAR's `blocked`, which includes the parts of client and proxy.
    case blockedInAll = "timings.blocked"
    case reused
    /// The server's own time, by `Server-Timing`.
    case server
    /// The id of the distributed trace, by `traceparent`.
    case trace
    /// The capture, as it was named, and the directory that it is in.
    case file, directory
    /// The operation that the request asks for, where the URL alone does not say it.
    case operation
    /// A call of a language model: tokens as its server counts them, and when its content came.
    case model = "llm.model"
    case modelInput = "llm.in"
    case modelCached = "llm.cached"
    case modelOutput = "llm.out"
    case modelReasoning = "llm.reasoning"
    case modelFirst = "llm.first"
    case modelRate = "llm.rate"
    case modelStalls = "llm.stalls"
    case modelStop = "llm.stop"
    case modelTools = "llm.tools"
  }
}

extension QueryField.Known {
  /// The figures of streams, which are read from bodies.
  static let ofEvents: Set<Self> = [
    .events, .eventFirst, .eventGap, .eventGap50, .eventGap99, .eventGapMax, .eventStalls, .eventRate,
  ]

  var kind: QueryField.Kind {
    switch self {
    case .method, .url, .scheme, .host, .origin, .path, .statusText, .mime, .type, .page, .pageID, .ip, .connection, .comment,
      .requestBody,
      .requestMime, .responseBody, .reset, .grpc, .redirect, .error, .errorMessage, .errorOrigin, .errorPhase,
      .errorKind, .ended, .trace, .file, .directory, .operation, .model,
      .modelStop, .modelTools:
      .text
    // A text or a number: `HTTP/2`, 2.
    case .version, .requestVersion: .any
    case .start: .date
    case .number, .port, .status, .stream, .grpcMessages, .events, .eventStalls, .eventRate, .modelInput, .modelCached,
      .modelOutput, .modelReasoning, .modelRate, .modelStalls:
      .number(.plain)
    case .time, .total, .client, .proxy, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive, .server,
      .eventFirst, .eventGap, .eventGap50, .eventGap99, .eventGapMax, .modelFirst:
      .number(.duration)
    case .requestSize, .requestHeadSize, .responseSize, .responseHeadSize, .contentSize: .number(.size)
    case .reused, .changed, .injected: .flag
    }
  }

  var parts: HAREntryParts {
    switch self {
    case .requestBody, .responseBody, .operation, .model, .modelInput, .modelCached, .modelOutput, .modelReasoning, .modelFirst,
      .modelRate, .modelStalls, .modelStop, .modelTools:
      [.bodies, .custom, .fields]
    case .requestMime: [.bodies, .custom]
    case .connection, .changed, .stream, .reset: .custom
    case .page: .pageTitle
    case .events, .eventFirst, .eventGap, .eventGap50, .eventGap99, .eventGapMax, .eventStalls, .eventRate: RecordedStream.parts
    case .server: [.fields, .custom]
    case .trace: .fields
    case .type: [.fields, .custom]
    case .number, .method, .url, .scheme, .host, .port, .origin, .path, .status, .statusText, .version, .mime, .pageID, .start,
      .ip,
      .comment, .time, .total, .client, .proxy, .blocked, .blockedInAll, .dns, .connect, .ssl, .send, .wait, .receive,
      .requestSize,
      .requestHeadSize,
      .requestVersion, .responseSize, .responseHeadSize, .contentSize, .redirect, .error, .errorMessage, .errorOrigin,
      .errorPhase, .errorKind, .ended, .reused, .injected, .file, .directory, .grpc, .grpcMessages:
      []
    }
  }

  func value(in entry: HAREntry, number: Int) -> QueryValue {
    switch self {
    case .number: .number(Double(number))
    case .method: known(entry.request.method)
    case .url: entry.request.url.isEmpty ? .absent : readable(entry.request.url)
    case .scheme: text(RequestURL(entry.request.url)?.scheme)
    case .host: text(RequestURL(entry.request.url)?.host)
    case .port: RequestURL(entry.request.url)?.port.map { .number(Double($0)) } ?? .absent
    case .origin: text(RequestURL(entry.request.url)?.origin)
    case .path: RequestURL(entry.request.url).map { readable($0.path) } ?? .absent
    case .status: .number(Double(entry.response.status))
    case .statusText: known(entry.response.statusText)
    case .version: anyVersion(entry.response.httpVersion)
    case .mime: known(mediaType(entry.response.content.mimeType))
    case .type: .text(ResourceType(entry).rawValue)
    case .page: page(of: entry)
    case .pageID: text(entry.pageref)
    case .start: known(entry.startedDateTime)
    case .ip: text(entry.serverIPAddress)
    case .connection: text(entry.custom[.connectionID]?.string ?? entry.connection)
    case .comment: text(entry.comment)
    case .time: entry.duration.map(QueryValue.number) ?? .absent
    case .total: entry.total.map(QueryValue.number) ?? .absent
    case .client: phase(.client, entry)
    case .proxy: phase(.proxy, entry)
    case .blocked: phase(.blocked, entry)
    case .dns: phase(.dns, entry)
    case .connect: phase(.connect, entry)
    case .ssl: phase(.ssl, entry)
    case .send: phase(.send, entry)
    case .wait: phase(.wait, entry)
    case .receive: phase(.receive, entry)
    case .requestSize: size(entry.request.bodySize)
    case .requestHeadSize: size(entry.request.headersSize)
    case .requestBody: body(LoggedBody(request: entry.request))
    case .requestMime: text(entry.request.postData.map { mediaType($0.mimeType) })
    case .requestVersion: anyVersion(entry.request.httpVersion)
    case .responseSize: size(entry.response.bodySize)
    case .responseHeadSize: size(entry.response.headersSize)
    case .responseBody: body(LoggedBody(response: entry.response))
    case .contentSize: size(entry.response.content.size)
    case .redirect: known(entry.response.redirectURL)
    case .error: text(RecordedFailure(entry)?.text)
    case .errorMessage: text(RecordedFailure(entry)?.message)
    case .errorOrigin: text(RecordedFailure(entry)?.origin)
    case .errorPhase: text(RecordedFailure(entry)?.phase)
    case .errorKind: text(RecordedFailure(entry)?.kind)
    case .ended: text(RecordedEnd(entry)?.phase)
    case .stream: LoggedStream(entry).flatMap { $0.id ?? $0.clientID }.map { .number(Double($0)) } ?? .absent
    case .reset: text(LoggedStream(entry)?.reset)
    case .grpc: text(CallStatus(entry)?.outcome ?? RecordedCall(entry)?.outcome)
    case .grpcMessages: RecordedCall(entry).map { .number(Double($0.messageCount)) } ?? .absent
    case .events: streamFigure(of: entry) { Double($0.count) }
    case .eventFirst: streamFigure(of: entry) { $0.first }
    case .eventGap:
      StreamTiming(entry).map { (timing) -> QueryValue in
        timing.gaps.isEmpty ? .absent : .several(timing.gaps.map { .number($0.milliseconds) })
      } ?? .absent
    case .eventGap50: streamFigure(of: entry) { $0.gap(50) }
    case .eventGap99: streamFigure(of: entry) { $0.gap(99) }
    case .eventGapMax: streamFigure(of: entry) { $0.gap(100) }
    case .eventStalls: streamFigure(of: entry) { $0.gaps.isEmpty ? nil : Double($0.stalls()) }
    case .eventRate: streamFigure(of: entry) { $0.rate }
    case .changed: .flag(!(entry.custom[.changes]?.array ?? []).isEmpty)
    case .injected: .flag(!(entry.custom[.injected]?.array ?? []).isEmpty)
    case .blockedInAll: entry.timings.blocked.flatMap(\.asDuration).map(QueryValue.number) ?? .absent
    case .server: ServerTime(entry)?.total.map(QueryValue.number) ?? .absent
    case .trace: text(RecordedTrace(entry)?.id)
    case .file: text(entry.file)
    case .directory: text(entry.directory)
    case .operation: text(RequestOperation(entry)?.name)
    case .model, .modelInput, .modelCached, .modelOutput, .modelReasoning, .modelFirst, .modelRate, .modelStalls, .modelStop,
      .modelTools:
      ModelCall(entry).map { QueryValue(.object($0.members), at: [String(rawValue.dropFirst(4))]) } ?? .absent
    case .reused: .flag((entry.timings.connect ?? -1) < 0 && entry.response.status > 0)
    }
  }

  private func page(of entry: HAREntry) -> QueryValue {
    guard let id = entry.pageref, let title = entry.pageTitle else { return text(entry.pageref) }
    return .titled(title, id: id)
  }
}

extension Phase {
  /// The field of its time.
  var field: QueryField.Known {
    guard let field = QueryField.Known(rawValue: name) else { preconditionFailure("each phase is a field") }
    return field
  }
}

/// A figure of a stream, if the exchange is one and the figure is known.
private func streamFigure(of entry: HAREntry, _ figure: (StreamTiming) -> Double?) -> QueryValue {
  StreamTiming(entry).flatMap(figure).map(QueryValue.number) ?? .absent
}

private func text(_ text: String?) -> QueryValue {
  text.map(QueryValue.text) ?? .absent
}

/// The value of a text that is empty only if there is none.
private func known(_ text: String) -> QueryValue {
  text.isEmpty ? .absent : .text(text)
}

/// A URL or a path as it is in the log; queries can also match the form that people write.
private func readable(_ text: String) -> QueryValue {
  text.readableURL.map { .titled(text, id: $0) } ?? .text(text)
}

/// In HAR, −1 means that a size is not known.
private func size(_ bytes: Int) -> QueryValue {
  bytes < 0 ? .absent : .number(Double(bytes))
}

/// The spelling of the log, and the number that all spellings of a version have.
private func anyVersion(_ spelling: String) -> QueryValue {
  RecordedVersion(spelling).number.map { .numbered(spelling, $0) } ?? known(spelling)
}

private func phase(_ phase: Phase, _ entry: HAREntry) -> QueryValue {
  PhaseDurations(entry)[phase].map(QueryValue.number) ?? .absent
}

private func body(_ body: LoggedBody) -> QueryValue {
  switch body {
  case .bytes(let bytes): .text(String(decoding: bytes, as: UTF8.self))
  case .empty, .notRecorded, .inFile, .damaged: .absent
  }
}

/// The media type without its parameters, in lower case.
private func mediaType(_ text: String) -> String {
  text.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
}
