package import TapelineHTTP
package import TapelineTransport

/// Owns a task of a session and hears of all its events, on the task's loop: a `Request` of the library, or an exchange that is
/// forwarded as it came.
///
/// The session's delegate tells the monitors first and then the owner. An owner is told of the task's metrics, then of its
/// completion, each once.
package protocol TaskOwner: SessionTaskEvents {}

/// Defaults for an owner that has no stream, sends no body and ignores what it need not answer.
extension TaskOwner {
  package func taskDidOpenStream(_ task: SessionTask) {}
  package func task(_ task: SessionTask, didReceiveInformational head: ResponseHead) {}
  package func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {}
  package func taskDidReceiveEnd(_ task: SessionTask) {}
  package func taskDidUpgrade(_ task: SessionTask) {}
  package func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk { .end }
  package func taskTrailers(_ task: SessionTask) -> HeaderFields? { nil }
  package func task(_ task: SessionTask, didSendBody count: Int) {}
  package func taskCanSendMore(_ task: SessionTask) {}
  package func taskDidGatherMetrics(_ task: SessionTask) {}
}
