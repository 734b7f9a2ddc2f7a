internal import CTapeline
public import Glibc
internal import Synchronization

/// Owns one running thread of the system, from start to join or detachment.
public final class SystemThread: Sendable {
  private let handle: pthread_t
  private let isSettled = Atomic<Bool>(false)

  /// Runs `body` on a new thread, whose name (at most 15 bytes) debuggers and `top` show.
  ///
  /// - Parameter takesSignals: whether it may handle signals of the process; it inherits the signal mask of the calling thread.
  ///   If false, all signals are blocked but the thread's own faults.
  package init(
    name: String, takesSignals: Bool = true, _ body: @escaping @Sendable () -> Void
  ) throws(SystemCallError) {
    var handle = pthread_t()
    // The only retain; `runThread` releases it. If the thread cannot be created, we release it.
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let create = { unsafe pthread_create(&handle, nil, runThread, start.toOpaque()) }
    // A new thread has the signal mask of its creator from its first instruction on.
    let code = takesSignals ? create() : SignalSet.all.blocked(while: create)
    guard code == 0 else {
      unsafe start.release()
      throw SystemCallError(code: code, call: .pthread)
    }
    self.handle = handle
  }

  deinit {
    assert(isSettled.load(ordering: .relaxed), "a thread was dropped without being joined or detached")
  }

  /// Waits until the thread's body has returned. Call it once, instead of `detach()`.
  package func join() {
    settle()
    let code = pthread_join(handle, nil)
    precondition(code == 0, "a thread could not be joined: it waits for itself")
  }

  /// Lets the thread end by itself, or with the process. Call it once, instead of `join()`.
  package func detach() {
    settle()
    let code = pthread_detach(handle)
    precondition(code == 0, "a thread could not be detached")
  }

  private func settle() {
    precondition(!isSettled.exchange(true, ordering: .relaxed), "a thread was joined or detached twice")
  }
}

private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else {
    preconditionFailure("a thread started without its body")
  }
  let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
  // A write to a peer that has left raises SIGPIPE in the writing thread, and its default action ends the process. In a program
  // that contains this library, we may decide how our threads handle signals, but not how the process does. While SIGPIPE is
  // blocked, the write fails.
  SignalSet(ProcessSignal.brokenPipe).block()
  unsafe tapeline_name_thread(start.name)
  tapeline_guard_thread()
  start.body()
  return nil
}

extension SystemThread {
  /// The number of the calling thread: unique among living threads, and never 0.
  @inlinable
  public static var currentID: UInt { UInt(pthread_self()) }

  /// Lets other threads have the processor before the calling one, by this many steps of 19 (`nice`). On Linux each thread has a
  /// priority of its own.
  package static func giveWay(by steps: Int32) {
    let process = Int32(PRIO_PROCESS.rawValue)
    _ = setpriority(process, 0, getpriority(process, 0) + steps)
  }

  /// Has the waits of the calling thread end at their time; the system may otherwise let them end 50 µs later.
  package static func sharpenTimers() {
    tapeline_sharpen_timers()
  }

  /// Sleeps on the calling thread; a signal may end the sleep early.
  package static func sleep(for duration: Duration) {
    guard duration > .zero else { return }
    let (seconds, attoseconds) = duration.components
    var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    _ = unsafe nanosleep(&time, nil)
  }

  /// Sleeps until an instant of the monotonic clock, despite any signals.
  package static func sleep(untilMonotonicNanoseconds instant: Int64) {
    var until = timespec(tv_sec: Int(instant / 1_000_000_000), tv_nsec: Int(instant % 1_000_000_000))
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
  }
}
