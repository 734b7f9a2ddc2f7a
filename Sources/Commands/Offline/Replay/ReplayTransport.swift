internal import TapelineHTTP
internal import TapelineInspect
package import TapelineLoop
internal import TapelineProxy
internal import TapelineTLS
internal import TapelineTime
package import TapelineTransport

/// Answers exchanges from a capture instead of from the network. One per loop, bound to it.
///
/// Tunnels open at once and lead nowhere: the requests inside are answered, if the proxy decrypts the tunnel.
package final class ReplayTransport: ProxyTransport {
  private let loop: EventLoop
  private let source: ReplaySource
  private let timing: ReplayTiming
  /// For requests that the capture does not have; `nil` if such a request is a miss.
  private let network: NetworkTransport?

  let keepsConnections = false
  let plaintextBuffer = PlaintextBuffer()

  package init(loop: EventLoop, source: ReplaySource, timing: ReplayTiming, network: NetworkTransport?) {
    self.loop = loop
    self.source = source
    self.timing = timing
    self.network = network
  }

  package func start(_ task: SessionTask) {
    switch task.work {
    case .stream:
      task.beginAttempt(at: .now)
      task.carrier = UnreadTunnel(task)
      loop.enqueueLocal { if task.isUnderWay { task.didOpenStream() } }
    case .exchange(let request):
      guard let answer = answer(to: request) else {
        network?.start(task)
        return
      }
      task.beginAttempt(at: .now)
      let playback = Playback(task: task, answer: answer, timing: timing)
      task.carrier = playback
      loop.enqueueLocal {
        // A client that asks before it sends the body is told to go on (RFC 9110 10.1.1).
        if request.head.expectation == .continue { task.didReceiveInformational(ResponseHead(status: 100)) }
        playback.pumpBody()
      }
    }
  }

  /// `nil` when the network must answer.
  private func answer(to request: OutgoingRequest) -> ReplayAnswer? {
    let method = request.head.method.rawValue
    let url = Self.url(of: request)
    switch source.answer(method: method, url: url) {
    case .recorded(let answer): return answer
    case .missing: return network == nil ? ReplayAnswer(missing: "\(method) \(url)") : nil
    case .unreadable(let reason): return ReplayAnswer(failure: reason)
    }
  }

  /// The absolute URL of the request's destination, as in the capture.
  private static func url(of request: OutgoingRequest) -> String {
    let scheme: URIScheme = request.route.security == .none ? .http : .https
    var path: [UInt8] = []
    request.head.appendOriginForm(into: &path)
    return "\(scheme.text)://\(request.route.authority)\(String(decoding: path, as: UTF8.self))"
  }

  func shutdown() {
    network?.shutdown()
  }
}

/// A tunnel that leads nowhere, as long as nobody needs it to.
private final class UnreadTunnel: TaskCarrier {
  private unowned let task: SessionTask

  let reached = TransportError.Phase.send

  init(_ task: SessionTask) {
    self.task = task
  }

  /// Bytes of a tunnel that is not decrypted have nowhere to go.
  func send(_ bytes: Span<UInt8>) -> Demand {
    task.loop.enqueueLocal { [task] in task.complete(with: .tunnelIsNotReplayed) }
    return .pause
  }

  func finishSending() {
    task.loop.enqueueLocal { [task] in task.complete(with: nil) }
  }

  func detach(_ task: SessionTask) -> DetachedStream? {
    task.loop.enqueueLocal { task.complete(with: nil) }
    return DetachedStream(connection: nil, metrics: task.metrics)
  }
}

extension TransportError {
  fileprivate static let tunnelIsNotReplayed = TransportError(
    origin: .local, phase: .send, kind: .closed,
    message: "a capture answers requests, and this tunnel is not decrypted; decrypt it with --intercept-host")
}
