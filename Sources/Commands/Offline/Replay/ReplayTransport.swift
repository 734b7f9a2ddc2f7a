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
  private var playbacks: [Int: Playback] = [:]

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
      loop.enqueueLocal { if task.isUnderWay { task.didOpenStream() } }
    case .exchange(let request):
      guard let answer = answer(to: request) else {
        network?.start(task)
        return
      }
      task.beginAttempt(at: .now)
      let playback = Playback(task: task, answer: answer, timing: timing) { [unowned self] in
        playbacks[task.taskIdentifier] = nil
      }
      playbacks[task.taskIdentifier] = playback
      loop.enqueueLocal {
        // A client that asks before it sends the body is told to go on (RFC 9110 10.1.1).
        if request.head.expectation == .continue { task.didReceiveInformational(ResponseHead(status: 100)) }
        playback.sendBody()
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

  package func cancel(_ task: SessionTask) {
    if let playback = playbacks.removeValue(forKey: task.taskIdentifier) {
      playback.cancel()
    } else if let network {
      network.cancel(task)
    } else {
      task.complete(with: .cancelled)
    }
  }

  package func bodyBecameAvailable(for task: SessionTask) {
    guard let playback = playbacks[task.taskIdentifier] else {
      network?.bodyBecameAvailable(for: task)
      return
    }
    playback.sendBody()
  }

  package func sendBody(_ bytes: Span<UInt8>, of task: SessionTask) -> Bool {
    playbacks[task.taskIdentifier] == nil && network?.sendBody(bytes, of: task) == true
  }

  package func resumeReceiving(for task: SessionTask) {
    guard let playback = playbacks[task.taskIdentifier] else {
      network?.resumeReceiving(for: task)
      return
    }
    playback.resume()
  }

  /// Bytes of a tunnel that is not decrypted have nowhere to go.
  package func send(_ bytes: Span<UInt8>, on task: SessionTask) -> Demand {
    loop.enqueueLocal { task.complete(with: .tunnelIsNotReplayed) }
    return .pause
  }

  package func finishSending(on task: SessionTask) {
    loop.enqueueLocal { task.complete(with: nil) }
  }

  func detach(_ task: SessionTask) -> DetachedStream? {
    loop.enqueueLocal { task.complete(with: nil) }
    return DetachedStream(connection: nil, metrics: task.metrics)
  }

  func shutdown() {
    network?.shutdown()
  }
}

extension TransportError {
  fileprivate static let tunnelIsNotReplayed = TransportError(
    origin: .local, phase: .send, kind: .closed,
    message: "a capture answers requests, and this tunnel is not decrypted; decrypt it with --intercept-host")
}
