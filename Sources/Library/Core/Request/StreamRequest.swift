internal import TapelineTime
public import TapelineTransport

/// A raw stream of bytes both ways. Its task delegate has the bytes; there are no handlers.
///
/// Nothing is made, adapted, validated or retried: no lock, no other thread, nothing between the call and the wire.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants.
public final class StreamRequest: Request, @unchecked Sendable {
  private let route: Route

  init(to route: Route, delegate: StreamTaskDelegate, engine: SessionEngine) {
    self.route = route
    super.init(delegate: delegate, engine: engine)
  }

  // MARK: In the root context

  /// Starts the task, or goes on with it.
  override func didResume() {
    guard stage == .idle else {
      delegate.task?.resume()
      return
    }
    engine.root.preconditionCurrent()
    stage = .running
    do throws(TransportError) {
      let task = try engine.makeTask(.stream(route))
      engine.associate(self, with: task)
      delegate.task = task
      task.resume()
    } catch {
      end(with: error)
    }
  }

  override func didSuspend() {
    delegate.task?.suspend()
  }

  override func didCancel() {
    if delegate.error == nil { delegate.error = TapelineError.explicitlyCancelled }
    if let task = delegate.task { task.cancel() } else { end(with: nil) }
  }

  override func didGatherMetrics(_ metrics: TaskMetrics) {
    delegate.finishCollecting(metrics)
  }

  override func taskDidComplete(_ task: SessionTask, with error: TransportError?) {
    end(with: error)
  }

  private func end(with error: TransportError?) {
    stage = .finished
    guard delegate.complete(with: error.map { TapelineError.sessionTaskFailed(error: $0) }) else { return }
    delegate.stampEnd(at: .now)
    delegate.queue.open()
    _ = transition(to: .finished)
  }
}

/// Speaks a protocol of its own on the connection of a request. Everything is called on the loop.
protocol StreamHandler: AnyObject {
  /// The head with which the server answered.
  func streamDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition
  /// The server has switched protocols.
  func streamDidUpgrade()
  /// Bytes, borrowed for the call.
  func streamDidReceive(_ bytes: Span<UInt8>) -> Demand
  /// The server will send no more.
  func streamDidReceiveEnd()
  /// A sender that was told to pause can go on.
  func streamCanSendMore()
  /// The task has ended.
  func streamDidComplete()
  /// There will be another attempt.
  func streamWillRestart()
  /// Whoever was behind with what came on the task has caught up.
  func receiverDidCatchUp(on task: SessionTask)
}

/// Carries a raw stream both ways once its connection is open.
///
/// Safety: `@unchecked Sendable` is inherited; what it adds is touched on the loop only.
open class StreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// Speaks the protocol of a stream that began as a request, which holds it.
  weak var handler: (any StreamHandler)?
  /// Whether the connection is open.
  public private(set) var isOpen = false

  open override func taskDidOpenStream() {
    isOpen = true
  }

  open override func taskDidReceive(_ response: HTTPURLResponse) -> ResponseDisposition {
    handler?.streamDidReceive(response) ?? .proceed
  }

  open override func taskDidUpgrade() {
    handler?.streamDidUpgrade()
  }

  open override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    handler?.streamDidReceive(bytes) ?? .more
  }

  open override func taskDidReceiveEnd() {
    handler?.streamDidReceiveEnd()
  }

  open override func taskCanSendMore() {
    handler?.streamCanSendMore()
  }

  open override func taskDidComplete() {
    handler?.streamDidComplete()
  }

  open override func reset() {
    super.reset()
    handler?.streamWillRestart()
  }

  /// Sends bytes; `pause` when enough is queued (`taskCanSendMore` follows). On the loop.
  public final func send(_ bytes: Span<UInt8>) -> Demand {
    task?.send(bytes) ?? .more
  }

  /// Ends our direction after the queued bytes. On the loop.
  public final func finishSending() {
    task?.finishSending()
  }
}
