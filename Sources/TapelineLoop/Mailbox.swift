internal import CTapeline
internal import Synchronization
internal import TapelineSystem

/// Jobs for a loop from other threads, and the bell (an eventfd) that wakes the loop.
///
/// The bell rings once for any number of waiting jobs: only the job that finds the box empty writes to it.
final class Mailbox: Sendable {
  typealias Job = @Sendable () -> Void

  private let waiting = Mutex<[Job]>([])
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
    let wasEmpty = waiting.withLock { waiting in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      waiting.append(job)
      return waiting.count == 1
    }
    if wasEmpty { ring() }
  }

  /// All waiting jobs, oldest first. On the loop, when the bell has rung.
  func takeAll() -> [Job] {
    silence()
    return waiting.withLock { waiting in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      let jobs = waiting
      waiting = []
      return jobs
    }
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
