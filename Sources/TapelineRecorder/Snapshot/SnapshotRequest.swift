internal import Dispatch
internal import Synchronization

/// Somebody waits for what a copy of the current file is made from.
final class SnapshotRequest: Sendable {
  private let answer = Mutex(Answer.none)
  private let isAnswered = DispatchSemaphore(value: 0)

  private enum Answer: ~Copyable {
    case none
    case source(SnapshotSource)
    case failure(RecorderError)
  }

  /// The recorder's thread, once.
  func fulfil(_ make: () throws(RecorderError) -> SnapshotSource) {
    let new: Answer
    do throws(RecorderError) {
      new = .source(try make())
    } catch {
      new = .failure(error)
    }
    put(new)
  }

  private func put(_ new: consuming sending Answer) {
    var new = Optional(new)
    answer.withLock { answer in
      guard let value = new.take() else { preconditionFailure("the answer is there to be put") }
      answer = value
    }
    isAnswered.signal()
  }

  /// The thread of whoever asked, once: waits for the answer.
  func wait() throws(RecorderError) -> SnapshotSource {
    isAnswered.wait()
    var taken: Answer = .none
    answer.withLock { swap(&$0, &taken) }
    switch consume taken {
    case .source(let source): return source
    case .failure(let error): throw error
    case .none: preconditionFailure("who answers a request gives a source or a reason")
    }
  }
}
