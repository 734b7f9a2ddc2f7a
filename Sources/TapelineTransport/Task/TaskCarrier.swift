/// The connection, or the stream of one, that carries a task: what the transport passes on to it. Loop-bound.
///
/// `UpstreamConnection` carries one task at a time, in HTTP/1 or as a stream of bytes.
protocol TaskCarrier: AnyObject {
  /// The phase that an error now belongs to.
  var reached: TransportError.Phase { get }
  /// The task's body source has more.
  func pumpBody()
  /// Sends the next bytes of the task's body at once, if they need not wait. Answers whether it did.
  func sendBody(_ bytes: Span<UInt8>) -> Bool
  /// The task's receiver can go on.
  func resumeReceiving()
  /// The task has decided about its response head.
  func decide(_ decision: ResponseDecision)
  /// Sends bytes of a stream task.
  func send(_ bytes: Span<UInt8>) -> Demand
  /// Ends our direction of a stream task.
  func finishSending()
  /// The client wants the response at another priority; meaningless where the task does not share its connection.
  func updatePriority(_ fieldValue: String)
  /// Gives up an open stream that has moved no byte; `nil` if there is no such stream.
  func detach(_ task: SessionTask) -> DetachedStream?
  /// Ends the task, which completes with a cancellation.
  func cancel(_ task: SessionTask)
}

extension TaskCarrier {
  /// For a carrier that asks for bodies.
  func sendBody(_ bytes: Span<UInt8>) -> Bool { false }
}
