internal import Dispatch
internal import Synchronization
internal import TapelineSystem
internal import TapelineTime

/// A value behind a lock, and threads that wait, with a deadline, for it to change.
final class Monitor<Value: Sendable>: Sendable {
  private struct State {
    var value: Value
    /// One for each thread that waits for the next change.
    var waiting: [DispatchSemaphore] = []
  }

  private let state: Mutex<State>

  init(_ value: Value) {
    state = Mutex(State(value: value))
  }

  func read<Result: Sendable>(_ body: (Value) -> Result) -> Result {
    state.withLock { body($0.value) }
  }

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let (result, waiting) = state.withLock { state in
      let result = body(&state.value)
      let waiting = state.waiting
      state.waiting = []
      return (result, waiting)
    }
    for semaphore in waiting { semaphore.signal() }
    return result
  }

  /// The result of `then` once `condition` holds; `nil` when the deadline passed first.
  func wait<Result: Sendable>(before deadline: Deadline, until condition: (Value) -> Bool, then: (Value) -> Result) -> Result? {
    while true {
      let isLast = deadline.hasPassed
      let changed = DispatchSemaphore(value: 0)
      let result: Result?? = state.withLock { state in
        if condition(state.value) { return .some(.some(then(state.value))) }
        if isLast { return .some(nil) }
        state.waiting.append(changed)
        return nil
      }
      if let result { return result }
      _ = changed.wait(timeout: .now() + .milliseconds(Int(deadline.remainingMilliseconds)))
    }
  }
}

/// One thread of a scripted peer. Peers block in system calls, so they must not borrow the tests' own (cooperative) threads.
final class TestThread: Sendable {
  /// `nil` once joined.
  private let thread: Mutex<SystemThread?>

  init(_ body: @escaping @Sendable () -> Void) throws(TestSupportError) {
    do throws(SystemCallError) {
      thread = Mutex(try SystemThread(name: "test-peer", body))
    } catch {
      throw TestSupportError(error)
    }
  }

  deinit {
    thread.withLock { $0.take() }?.detach()
  }

  func join() {
    thread.withLock { $0.take()?.join() }
  }
}

/// The calling thread's name, as the kernel shows it.
package func currentThreadName() throws(TestSupportError) -> String {
  String(try readText("/proc/thread-self/comm").dropLast())
}
