internal import TapelineTransport

/// Whom each task of a session belongs to, and what is to be done about it when the task ends. In the root context.
///
/// The session's delegate holds it, rather than the engine weakly: it is asked in every event.
///
/// Safety: `@unchecked Sendable` because the engine, which holds it, is shared; it is touched in the root context only.
final class TaskRegistry: @unchecked Sendable {
  private var tasks = RequestTaskMap()
  /// Completions that came before their metrics.
  private var waitingCompletions: [Int: TransportError?] = [:]

  /// Tasks that have not ended.
  var count: Int { tasks.count }

  func associate(_ owner: any TaskOwner, with task: SessionTask) {
    tasks.associate(owner, with: task)
  }
}

extension TaskRegistry: SessionStateProvider {
  func owner(of task: SessionTask) -> (any TaskOwner)? {
    tasks[task]
  }

  func didGatherMetrics(_ metrics: TaskMetrics, for task: SessionTask) {
    guard let owner = tasks[task] else { return }
    owner.task(task, didFinishCollecting: metrics)
    guard tasks.didGatherMetrics(for: task), let error = waitingCompletions.removeValue(forKey: task.taskIdentifier) else {
      return
    }
    owner.task(task, didCompleteWith: error)
  }

  func didCompleteTask(_ task: SessionTask, with error: TransportError?) {
    guard let owner = tasks[task] else { return }
    if tasks.didComplete(task) {
      owner.task(task, didCompleteWith: error)
    } else {
      waitingCompletions.updateValue(error, forKey: task.taskIdentifier)
    }
  }
}
