package import TapelineLoop
package import TapelineTransport

/// What a `SessionDelegate` may ask of, and tells, its session. All on the session's loop.
package protocol SessionStateProvider: AnyObject {
  /// The request a task belongs to, until the task has ended.
  func request(for task: SessionTask) -> Request?
  /// What decides about redirections and challenges of the task; `nil` when it is forwarded, or unknown.
  func followUps(for task: SessionTask) -> FollowUps?
  func didGatherMetrics(_ metrics: TaskMetrics, for task: SessionTask)
  func didCompleteTask(_ task: SessionTask, with error: TransportError?)
}
