internal import Dispatch
internal import Synchronization

/// A request for the source of a copy; the requesting thread waits for it.
final class SnapshotRequest: Sendable {
  private let answer = Mutex(Answer.none)
  private let isAnswered = DispatchSemaphore(value: 0)

  private enum Answer: ~Copyable {
    case none
    case source(SnapshotSource)
    case failure(RecorderError)
  }

  /// Called by the recorder's thread, once.
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

  /// Called by the requesting thread, once: waits for the answer.
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
