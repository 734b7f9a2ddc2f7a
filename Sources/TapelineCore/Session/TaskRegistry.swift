internal import TapelineLoop
internal import TapelineTransport

/// Which request each task of a session belongs to, and what is to be done about it when the task ends. In the root context.
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

  func associate(_ request: Request, followUps: FollowUps?, with task: SessionTask) {
    tasks.associate(request, followUps: followUps, with: task)
  }
}

extension TaskRegistry: SessionStateProvider {
  func request(for task: SessionTask) -> Request? {
    tasks[task]?.request
  }

  func followUps(for task: SessionTask) -> FollowUps? {
    tasks[task]?.followUps
  }

  func didGatherMetrics(_ metrics: TaskMetrics, for task: SessionTask) {
    guard let request = tasks[task]?.request else { return }
    request.didGatherMetrics(metrics)
    guard tasks.didGatherMetrics(for: task), let error = waitingCompletions.removeValue(forKey: task.taskIdentifier) else {
      return
    }
    request.taskDidComplete(task, with: error)
  }

  func didCompleteTask(_ task: SessionTask, with error: TransportError?) {
    guard let request = tasks[task]?.request else { return }
    if tasks.didComplete(task) {
      request.taskDidComplete(task, with: error)
    } else {
      waitingCompletions.updateValue(error, forKey: task.taskIdentifier)
    }
  }
}
