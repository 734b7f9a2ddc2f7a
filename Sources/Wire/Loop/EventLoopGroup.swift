internal import CTapeline
internal import Synchronization
internal import TapelineSystem
package import TapelineTime

/// Event loops, each running on a thread of its own until `shutdown()`.
package final class EventLoopGroup: Sendable {
  package let loops: [EventLoop]
  /// Emptied by `shutdown()`.
  private let threads: Mutex<[SystemThread]>
  private let turn = Atomic<Int>(0)

  package init(threads count: Int, clock: MonotonicInstant.Clock = .wire) throws(LoopError) {
    precondition(count > 0, "a group without loops serves nobody")
    var loops: [EventLoop] = []
    for _ in 0..<count { loops.append(try EventLoop(clock: clock)) }
    var threads: [SystemThread] = []
    do throws(SystemCallError) {
      for (index, loop) in loops.enumerated() {
        loop.handOver()
        threads.append(
          try SystemThread(name: "tapeline-loop-\(index)") {
            loop.run()
            loop.retire()
          })
        loop.waitUntilServed()
      }
    } catch {
      Self.stop(loops, threads)
      throw LoopError(error)
    }
    self.loops = loops
    self.threads = Mutex(threads)
  }

  /// Each loop in turn, for work that may go to any loop.
  package func next() -> EventLoop {
    let turn = turn.wrappingAdd(1, ordering: .relaxed).oldValue
    return loops[Int(UInt(bitPattern: turn) % UInt(loops.count))]
  }

  /// Stops every loop after the jobs posted so far and waits for the threads. From any thread except theirs; later calls do
  /// nothing.
  package func shutdown() {
    let threads = threads.withLock { threads in
      let running = threads
      threads = []
      return running
    }
    Self.stop(loops, threads)
  }

  private static func stop(_ loops: [EventLoop], _ threads: [SystemThread]) {
    guard !threads.isEmpty else { return }
    for loop in loops { loop.stop() }
    for thread in threads { thread.join() }
  }
}

/// Jobs for a loop from other threads, and the bell (an eventfd) that wakes the loop.
///
/// The bell rings once for any number of waiting jobs: only the job that finds the box empty writes to it.
final class Mailbox: Sendable {
  typealias Job = @Sendable () -> Void

  private struct State: Sendable {
    var waiting: [Job] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  /// Readable while jobs may wait. Owned; closed in `deinit`.
  let bell: Int32

  init() throws(SystemCallError) {
    bell = try SystemCalls.makeBell()
  }

  deinit {
    SystemCalls.discard(bell)
  }

  /// From any thread.
  func post(_ job: @escaping Job) {
    let wasEmpty = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.isClosed else { return false }
      state.waiting.append(job)
      return state.waiting.count == 1
    }
    if wasEmpty { ring() }
  }

  /// All waiting jobs, oldest first. On the loop, when the bell has rung.
  func takeAll() -> [Job] {
    silence()
    return state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      let jobs = state.waiting
      state.waiting = []
      return jobs
    }
  }

  /// Drops the jobs that wait and those to come: a job may hold the loop that holds this box.
  func close() {
    let dropped = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return state.waiting
    }
    withExtendedLifetime(dropped) {}
  }

  private func ring() {
    expectDone { () throws(SystemCallError) in try SystemCalls.ring(bell) }
  }

  private func silence() {
    expectDone { () throws(SystemCallError) in try SystemCalls.silence(bell) }
  }

  /// An eventfd has no errors of its own. It would block only if the bell has already rung, or has not rung yet; both are fine.
  private func expectDone(_ call: () throws(SystemCallError) -> Void) {
    do throws(SystemCallError) {
      try call()
    } catch {
      preconditionFailure("a loop's eventfd failed: \(error)")
    }
  }
}
