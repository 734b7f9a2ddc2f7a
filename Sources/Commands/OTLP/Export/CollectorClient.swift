internal import Synchronization
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// Posts batches to a collector: directly, on a loop of its own, with the server's certificate verified. Nothing of this passes
/// through our proxy or through another one.
final class CollectorClient: Sendable {
  private let session: Session
  private let traces: Destination
  private let metrics: Destination

  /// The request to send.
  enum Signal {
    case traces
    case metrics
  }

  private struct Destination {
    let route: Route
    let head: RequestHead

    init(_ url: String, _ fields: HeaderFields) throws(HTTPParseError) {
      head = try RequestHead(method: .post, target: url, fields: fields)
      guard case .absolute(let target) = head.target else { preconditionFailure("the settings have an absolute URL") }
      let security: RouteSecurity = target.scheme == .https ? .tls(serverName: target.host) : .none
      route = Route(host: target.host, port: target.port, security: security)
    }
  }

  /// - Parameter attempt: how long the collector may be silent.
  init(_ configuration: ExportConfiguration, attempt: Duration) throws(HTTPParseError) {
    let settings = configuration.settings
    var fields = HeaderFields()
    fields.append(name: "Content-Type", value: "application/x-protobuf")
    fields.append(name: "User-Agent", value: "OTel-OTLP-Exporter-tapeline/\(configuration.version)")
    if settings.isCompressed { fields.append(name: "Content-Encoding", value: "gzip") }
    for header in settings.headers { fields.append(name: header.name, value: header.value) }
    traces = try Destination(settings.url, fields)
    metrics = try Destination(settings.metricsURL, fields)
    var session = SessionConfiguration()
    session.httpCookieStorage = nil
    session.connectTimeout = Double(attempt.nanoseconds) / 1e9
    session.tls.trustRoots = configuration.trustRoots
    self.session = Session(configuration: session)
  }

  /// Sends a message, and calls `didEnd` once, on the session's loop.
  func post(
    _ body: [UInt8], to signal: Signal, didEnd: @escaping @Sendable (CollectorAnswer) -> Void
  ) -> CollectorRequest {
    let destination = signal == .traces ? traces : metrics
    let request = OutgoingRequest(
      head: destination.head, framing: .length(UInt64(body.count)), route: destination.route, sender: .ourselves)
    let owner = CollectorRequest(body: body, didEnd: didEnd)
    session.engine.root.async { [session] in owner.begin(request, in: session) }
    return owner
  }

  /// Ends a request, whose `didEnd` is called all the same.
  func cancel(_ request: CollectorRequest) {
    session.engine.root.async { request.cancel() }
  }
}

/// One request to the collector. Its state changes on the session's loop only.
final class CollectorRequest: TaskOwner, Sendable {
  private let body: [UInt8]
  private let didEnd: @Sendable (CollectorAnswer) -> Void
  private let state = Mutex(State())

  private struct State {
    var task: SessionTask?
    var sent = 0
    var head: ResponseHead?
    var answer: [UInt8] = []
    var isCancelled = false
  }

  /// An answer to OTLP is a few bytes; of anything longer, this much is read.
  private static let answerLimit = 64 << 10

  fileprivate init(body: [UInt8], didEnd: @escaping @Sendable (CollectorAnswer) -> Void) {
    self.body = body
    self.didEnd = didEnd
  }

  fileprivate func begin(_ request: OutgoingRequest, in session: Session) {
    let isCancelled = state.withLock { $0.isCancelled }
    do throws(TransportError) {
      guard !isCancelled else { return didEnd(.unavailable(reason: "it was given up", after: nil)) }
      let task = try session.forward(request, for: self)
      state.withLock { $0.task = task }
      task.resume()
    } catch {
      didEnd(.unavailable(reason: error.message, after: nil))
    }
  }

  fileprivate func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    let piece = state.withLock { state in
      let piece = body[state.sent...].prefix(limit)
      state.sent = piece.endIndex
      return piece
    }
    return piece.isEmpty ? .end : .bytes(Array(piece))
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition {
    state.withLock { $0.head = head }
    return .proceed
  }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    let isTooLong = state.withLock { state in
      let room = Self.answerLimit - state.answer.count
      state.answer.append(bytes: bytes.extracting(0..<min(room, bytes.count)))
      return bytes.count > room
    }
    if isTooLong { task.cancel() }
    return .more
  }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    let (head, answer) = state.withLock { state in
      // The task holds its owner until it has ended.
      state.task = nil
      return (state.head, state.answer)
    }
    guard let head else {
      return didEnd(.unavailable(reason: error?.message ?? "it did not answer", after: nil))
    }
    let pause = head.fields.first(of: .retryAfter).flatMap {
      RetryAfter.pause($0, unixSeconds: WallClockAnchor.read().unixNanoseconds / 1_000_000_000)
    }
    didEnd(CollectorAnswer(status: head.status, body: answer, retryAfter: pause))
  }
}

/// `Retry-After` (RFC 9110 10.2.3).
enum RetryAfter {
  /// The pause that the field's value asks for: seconds, or up to a date. `nil` if it is neither.
  static func pause(_ value: String, unixSeconds now: Int64) -> Duration? {
    if let seconds = Int64(value) { return seconds >= 0 ? .seconds(min(seconds, 1 << 32)) : nil }
    return CivilDate(lenientHTTPDate: Array(value.utf8).span).map { .seconds(max(0, $0.unixSeconds - now)) }
  }
}
