internal import TapelineLoop
package import TapelineTime
internal import TapelineTransport
internal import Synchronization

/// One request of a session, from any thread: its state, its timeline, its commands. The work is its `TaskDelegate`'s.
///
/// Safety: `@unchecked Sendable` because classes that may be subclassed cannot be `Sendable`. All its own mutable state is
/// atomic.
public class Request: @unchecked Sendable {
  /// What does the work, on the session's loop.
  public let delegate: TaskDelegate
  let work: SessionTask.Work
  private let session: Session
  private let currentState = Atomic<State>(.initialized)
  /// Nanoseconds of the first `resume()`; 0 before.
  private let startNanoseconds = Atomic<Int64>(0)

  init(session: Session, work: SessionTask.Work, delegate: TaskDelegate) {
    self.session = session
    self.work = work
    self.delegate = delegate
  }

  public var state: State { currentState.load(ordering: .acquiring) }

  public var isCancelled: Bool { state == .cancelled }

  public var isFinished: Bool { state == .finished }

  // MARK: Commands

  /// Starts the request, or goes on after `suspend()`. Only the first start counts as the request's start.
  @discardableResult
  public func resume() -> Self {
    guard let previous = transition(to: .resumed) else { return self }
    _ = startNanoseconds.compareExchange(
      expected: 0, desired: MonotonicInstant.now.nanoseconds, ordering: .acquiringAndReleasing)
    if session.loop.isCurrent {
      start(from: previous)
    } else {
      session.loop.execute { [self] in start(from: previous) }
    }
    return self
  }

  private func start(from previous: State) {
    if previous == .initialized, delegate.task == nil {
      session.perform(self)
    } else {
      delegate.task?.resume()
    }
  }

  @discardableResult
  public func suspend() -> Self {
    guard transition(to: .suspended) != nil else { return self }
    onLoop { $0.delegate.task?.suspend() }
    return self
  }

  /// Ends the request with an explicit cancellation unless it has ended. Its handlers are called.
  @discardableResult
  public func cancel() -> Self {
    guard transition(to: .cancelled) != nil else { return self }
    onLoop { request in
      if request.delegate.error == nil { request.delegate.error = TapelineError.explicitlyCancelled }
      if let task = request.delegate.task {
        task.cancel()
      } else {
        request.delegate.complete(with: nil)
      }
    }
    return self
  }

  // MARK: Timeline

  /// The timeline up to now: each reading has its own end of serialization.
  public var timeline: Timeline { timeline(serializedAt: .now) }

  package func timeline(serializedAt now: MonotonicInstant) -> Timeline {
    let started = startNanoseconds.load(ordering: .acquiring)
    let start = started == 0 ? now : MonotonicInstant(nanoseconds: started)
    let completed = delegate.endInstant ?? now
    let anchor = WallClockAnchor.process
    return Timeline(
      requestStartTime: anchor.absoluteTime(at: start),
      initialResponseTime: anchor.absoluteTime(at: delegate.initialResponseInstant ?? completed),
      requestCompletedTime: anchor.absoluteTime(at: completed),
      serializationCompletedTime: anchor.absoluteTime(at: now))
  }

  // MARK: For the session delegate and subclasses

  func didComplete(with error: TransportError?) {
    delegate.complete(with: error.map(TapelineError.sessionTaskFailed))
    _ = transition(to: .finished)
  }

  /// Adds an operation to the gate: it runs on the loop after completion, in the order added.
  func addOperation(_ operation: @escaping SerialOperationQueue.Operation) {
    guard delegate.queue.addOperation(operation) else { return }
    session.loop.execute { [delegate] in delegate.queue.drain() }
  }

  private func onLoop(_ command: @escaping @Sendable (Request) -> Void) {
    if session.loop.isCurrent {
      command(self)
    } else {
      session.loop.execute { command(self) }
    }
  }

  /// Moves to `next` if the table allows it; answers the state it left.
  private func transition(to next: State) -> State? {
    var seen = state
    while seen.canTransition(to: next) {
      let (exchanged, original) = currentState.compareExchange(expected: seen, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return seen }
      seen = original
    }
    return nil
  }
}
