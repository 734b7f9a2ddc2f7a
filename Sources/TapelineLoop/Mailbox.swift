internal import CTapeline
internal import Synchronization
internal import TapelineSystem

/// Jobs for a loop from other threads, and the bell that wakes it: an eventfd.
///
/// The bell rings once for any number of jobs that wait: only the job that finds the box empty writes to it.
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

  /// All that waits, oldest first. On the loop, when the bell rang.
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

  /// An eventfd has no errors of its own, and would block only where the bell rang already (or not yet), which is as good.
  private func expectDone(_ call: () throws(SystemCallError) -> Void) {
    do throws(SystemCallError) {
      try call()
    } catch {
      preconditionFailure("a loop's eventfd failed: \(error)")
    }
  }
}
