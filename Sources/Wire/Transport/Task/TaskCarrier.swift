/// Carries a task: the connection, or the stream of one, or the place where it waits for one. Every command to the task goes
/// there. Loop-bound.
///
/// `UpstreamOpening` has it until the connection stands; `UpstreamConnection` carries one task at a time, in HTTP/1 or as a
/// stream of bytes. A task without a carrier has not begun, or
/// waits for a connection that another task opens: it can only be cancelled.
package protocol TaskCarrier: AnyObject {
  /// The phase that an error now belongs to.
  var reached: TransportError.Phase { get }
  /// The task's body source answered `later` before and has more now.
  func pumpBody()
  /// Sends the next bytes of the task's body, which nobody has asked for. Answers whether it could: otherwise they wait, and
  /// `pumpBody` follows.
  func sendBody(_ bytes: Span<UInt8>) -> Bool
  /// The task's receiver asked for a pause before and can go on.
  func resumeReceiving()
  /// The task's listener answered `later` to a response head and has decided. For a repetition the task's `work` is the new
  /// request.
  func decide(_ decision: ResponseDecision)
  /// Sends raw bytes on a stream task; `pause` when enough is queued (`taskCanSendMore` follows).
  func send(_ bytes: Span<UInt8>) -> Demand
  /// Ends our direction of a stream task after the queued bytes.
  func finishSending()
  /// The response is wanted at another priority (RFC 9218 7): the value of a `priority` field. Means nothing where the task does
  /// not share its connection.
  func updatePriority(_ fieldValue: String)
  /// Gives up an open stream that has moved no byte; `nil` if there is no such stream.
  func detach(_ task: SessionTask) -> DetachedStream?
  /// Ends the task, which completes with a cancellation unless it has ended.
  func cancel(_ task: SessionTask)
}

/// For a carrier that has sent nothing yet, or never does.
extension TaskCarrier {
  package func pumpBody() {}
  package func sendBody(_ bytes: Span<UInt8>) -> Bool { false }
  package func resumeReceiving() {}
  package func decide(_ decision: ResponseDecision) {}
  package func send(_ bytes: Span<UInt8>) -> Demand { .more }
  package func finishSending() {}
  package func updatePriority(_ fieldValue: String) {}
  package func detach(_ task: SessionTask) -> DetachedStream? { nil }
  package func cancel(_ task: SessionTask) { task.complete(with: .cancelled) }
}
