internal import Dispatch
internal import TapelineLoop
internal import TapelineTransport

/// A user's decision about the head of a response, made on a queue of theirs before any of the body is read.
struct HeadHandler: Sendable {
  typealias Closure =
    @Sendable (HTTPURLResponse, @escaping @Sendable (Request.ResponseDisposition) -> Void) -> Void

  let queue: DispatchQueue
  let closure: Closure

  /// Asks the user. The first answer counts, if `delegate` still has the task by then.
  func decide(about response: HTTPURLResponse, of task: SessionTask, for delegate: TaskDelegate) -> ResponseDisposition {
    let once = Once()
    queue.async {
      closure(response) { disposition in
        guard once.claim() else { return }
        task.loop.execute { delegate.carryOut(disposition, of: task) }
      }
    }
    return .later
  }
}

extension TaskDelegate {
  fileprivate func carryOut(_ disposition: Request.ResponseDisposition, of task: SessionTask) {
    // A retry has another task, and a cancelled task waits for no answer.
    guard task === self.task else { return }
    switch disposition {
    case .allow: task.decide(.proceed)
    case .cancel: request?.cancel()
    }
  }
}
