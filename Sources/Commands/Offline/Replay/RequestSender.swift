internal import Dispatch
internal import Synchronization
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Sends recorded requests through a proxy, which records them.
final class RequestSender: Sendable {
  private let session: Session
  /// The requests in flight; `finish` waits for all of them.
  private let underWay = DispatchGroup()
  private let places: DispatchSemaphore
  private let unsendable = Atomic<Int>(0)

  /// - Parameter parallel: the most requests in flight at a time.
  init(configuration: SessionConfiguration, parallel: Int) {
    var configuration = configuration
    configuration.httpMaximumConnectionsPerHost = parallel
    session = Session(configuration: configuration)
    places = DispatchSemaphore(value: parallel)
  }

  /// Waits for a free place, then sends the request.
  func send(_ request: RecordedRequest) {
    let outgoing: OutgoingRequest
    do throws(HTTPParseError) {
      outgoing = try OutgoingRequest(request)
    } catch {
      unsendable.add(1, ordering: .relaxed)
      Console.say("\(request.method) \(request.url): it cannot be sent: \(error.message)")
      return
    }
    places.wait()
    underWay.enter()
    session.engine.root.async { [self] in
      let sent = SentRequest(body: request.body) { [self] in
        places.signal()
        underWay.leave()
      }
      sent.begin(outgoing, in: session)
    }
  }

  /// Waits for all requests that were sent, and returns how many could not be sent.
  func finish() -> Int {
    underWay.wait()
    return unsendable.load(ordering: .relaxed)
  }
}

/// Sends the body and ignores the response: the proxy records it. Loop-bound.
private final class SentRequest: TaskOwner {
  private let body: [UInt8]
  private var sent = 0
  private let didEnd: @Sendable () -> Void

  init(body: [UInt8], didEnd: @escaping @Sendable () -> Void) {
    self.body = body
    self.didEnd = didEnd
  }

  func begin(_ request: OutgoingRequest, in session: Session) {
    do throws(TransportError) {
      try session.forward(request, for: self).resume()
    } catch {
      didEnd()
    }
  }

  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk {
    guard sent < body.count else { return .end }
    let piece = body[sent...].prefix(limit)
    sent = piece.endIndex
    return .bytes(Array(piece))
  }

  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand { .more }

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    didEnd()
  }
}

extension OutgoingRequest {
  /// A recorded request, whose host and body length are set anew.
  fileprivate convenience init(_ request: RecordedRequest) throws(HTTPParseError) {
    var fields = HeaderFields()
    for field in request.fields { fields.append(name: field.name, value: field.value) }
    let head = try RequestHead(method: HTTPMethod(rawValue: request.method), target: request.url, fields: fields)
    guard case .absolute(let target) = head.target else { preconditionFailure("a recorded request names an absolute URL") }
    let security: RouteSecurity = target.scheme == .https ? .tls(serverName: target.host) : .none
    self.init(
      head: head, framing: request.body.isEmpty ? .none : .length(UInt64(request.body.count)),
      route: Route(host: target.host, port: target.port, security: security), sender: .ourselves)
  }
}
