package import TapelineLoop
internal import TapelineTime
public import TapelineTransport

/// A raw stream of bytes both ways: a CONNECT tunnel's upstream leg. Its task delegate has the bytes; there are no handlers.
///
/// Nothing is made, adapted, validated or retried: no lock, no other thread, nothing between the call and the wire.
///
/// Safety: `@unchecked Sendable` is inherited; it stores constants.
public final class StreamRequest: Request, @unchecked Sendable {
  private let route: Route
  private let via: [String]

  init(to route: Route, via: [String], delegate: StreamTaskDelegate, engine: SessionEngine) {
    self.route = route
    self.via = via
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
      let task = try engine.makeTask(.stream(route, via: via))
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

/// A delegate that need not see every byte.
package protocol ForwardingTaskDelegate: TaskDelegate {
  /// Where bytes may go instead of to `taskDidReceive`, past the program. Asked while many come.
  var taskOutlet: Channel? { get }
  /// So many bytes went to the outlet.
  func taskDidForward(_ count: Int) -> Demand
}

/// Carries a raw stream both ways once its connection is open: the basis of a CONNECT tunnel.
///
/// Safety: `@unchecked Sendable` is inherited; what it adds is touched on the loop only.
open class StreamTaskDelegate: TaskDelegate, @unchecked Sendable {
  /// Whether the connection is open.
  public private(set) var isOpen = false

  open override func taskDidOpenStream() {
    isOpen = true
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
