internal import CTapeline
internal import Synchronization

/// Jobs for a loop from other threads, and the bell that wakes it: an eventfd.
///
/// The bell rings once for any number of jobs that wait: only the job that finds the box empty writes to it.
final class Mailbox: Sendable {
  typealias Job = @Sendable () -> Void

  private let waiting = Mutex<[Job]>([])
  /// Readable while jobs may wait. Owned; closed in `deinit`.
  let bell: Int32

  init() throws(SystemCallError) {
    bell = try SystemCalls.retrying(.eventfd) { tapeline_eventfd() }
  }

  deinit {
    FileDescriptor(owning: bell).discard()
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
    var one: UInt64 = 1
    unsafe withUnsafeBytes(of: &one) { bytes in
      expectDone { () throws(SystemCallError) in try unsafe SystemCalls.write(bell, from: bytes) }
    }
  }

  private func silence() {
    var count: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &count) { bytes in
      expectDone { () throws(SystemCallError) in try unsafe SystemCalls.read(bell, into: bytes) }
    }
  }

  /// An eventfd has no errors of its own, and would block only where the bell rang already (or not yet), which is as good.
  private func expectDone(_ call: () throws(SystemCallError) -> IOResult) {
    do throws(SystemCallError) {
      _ = try call()
    } catch {
      preconditionFailure("a loop's eventfd failed: \(error)")
    }
  }
}
