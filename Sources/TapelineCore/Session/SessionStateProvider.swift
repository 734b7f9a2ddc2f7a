package import TapelineTransport

/// What a `SessionDelegate` may ask of, and tells, its session. All on the session's loop.
package protocol SessionStateProvider: AnyObject {
  /// Whom a task belongs to, until the task has ended.
  func owner(of task: SessionTask) -> (any TaskOwner)?
  func didGatherMetrics(_ metrics: TaskMetrics, for task: SessionTask)
  func didCompleteTask(_ task: SessionTask, with error: TransportError?)
}
