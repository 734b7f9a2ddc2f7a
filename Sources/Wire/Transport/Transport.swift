package import TapelineHTTP
package import TapelineLoop
package import TapelineTime

/// Carries out tasks on the wire. One real implementation, `NetworkTransport`; tests have a scripted one.
///
/// Loop-bound: every call comes on the loop of the task, and every event of the task is delivered there.
package protocol Transport: AnyObject {
  /// Begins the task's first attempt.
  func start(_ task: SessionTask)
  /// Ends the task: it completes with a cancellation unless it has already ended.
  func cancel(_ task: SessionTask)
  /// The task's body source answered `later` before and has more now.
  func bodyBecameAvailable(for task: SessionTask)
  /// Sends the next bytes of the task's body, which nobody has asked for. Answers whether it could: otherwise they wait, and
  /// `bodyBecameAvailable` follows.
  func sendBody(_ bytes: Span<UInt8>, of task: SessionTask) -> Bool
  /// The task's receiver asked for a pause before and can go on.
  func resumeReceiving(for task: SessionTask)
  /// The task's listener answered `later` to a response head and has decided. For a repetition the task's `work` is the new
  /// request.
  func decide(_ decision: ResponseDecision, for task: SessionTask)
  /// Sends raw bytes on a stream task; `pause` when enough is queued (`taskCanSendMore` follows).
  func send(_ bytes: Span<UInt8>, on task: SessionTask) -> Demand
  /// Ends our direction of a stream task after the queued bytes.
  func finishSending(on task: SessionTask)
  /// The response is wanted at another priority (RFC 9218 7): the value of a `priority` field.
  func updatePriority(_ fieldValue: String, of task: SessionTask)
}

extension Transport {
  /// For a transport that asks for bodies.
  package func sendBody(_ bytes: Span<UInt8>, of task: SessionTask) -> Bool { false }

  /// For a transport without streams.
  package func updatePriority(_ fieldValue: String, of task: SessionTask) {}

  /// For a transport that delivers nothing before the decision and keeps no connections.
  package func decide(_ decision: ResponseDecision, for task: SessionTask) {
    switch decision {
    case .proceed: break
    case .cancel: cancel(task)
    case .repeat: start(task)
    }
  }
}

/// A task's events, told on its loop, in the order of the wire. `SessionDelegate` listens to them.
package protocol SessionTaskEvents: AnyObject {
  /// A stream task's connection is open.
  func taskDidOpenStream(_ task: SessionTask)
  /// A 1xx response; the final one is still to come.
  func task(_ task: SessionTask, didReceiveInformational head: ResponseHead)
  /// The final response's head. After `later`, `SessionTask.decide` goes on.
  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition
  /// Bytes of the body (or of a stream), borrowed for the call.
  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand
  /// Where bytes of the body (or of a stream) may go without being delivered: to a channel of the task's loop. `nil`: all of them
  /// are wanted. Asked while many come.
  func taskOutlet(_ task: SessionTask) -> Channel?
  /// So many bytes went to the outlet instead of being delivered.
  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand
  func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields)
  /// The response is complete, and the rest of the request still goes out: only for requests that are passed on.
  func taskDidEndResponse(_ task: SessionTask)
  /// The peer of a stream task will send no more, or that of a task whose response was complete early; our direction stays open.
  func taskDidReceiveEnd(_ task: SessionTask)
  /// A response's head is not one that we read. Answers whether the task goes on as a stream of the bytes as they come, from the
  /// head's first one on: `taskDidUpgrade` follows.
  func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool
  /// The origin has switched protocols, as its head with status 101 said: the task is a stream from here on.
  func taskDidUpgrade(_ task: SessionTask)
  /// The next piece of the request body is wanted, at most `limit` bytes.
  func taskNeedsBody(_ task: SessionTask, limit: Int) -> BodyChunk
  /// The trailers to end a chunked request body with.
  func taskTrailers(_ task: SessionTask) -> HeaderFields?
  /// Bytes of the request body were handed to the connection.
  func task(_ task: SessionTask, didSendBody count: Int)
  /// A stream task that was told to pause sending can go on.
  func taskCanSendMore(_ task: SessionTask)
  /// The task's metrics are complete. Exactly once, before `didComplete`.
  func taskDidGatherMetrics(_ task: SessionTask)
  /// Exactly once, the last event.
  func task(_ task: SessionTask, didCompleteWith error: TransportError?)
}

extension SessionTaskEvents {
  /// For a listener that only wants what can be read.
  package func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool { false }
  /// For a listener whose requests end with their responses.
  package func taskDidEndResponse(_ task: SessionTask) {}
  /// For a listener to which every byte is delivered.
  package func taskOutlet(_ task: SessionTask) -> Channel? { nil }
  package func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand { .more }
}

/// A receiver's answer to each piece of bytes: the whole of our back-pressure.
public enum Demand: Sendable, Hashable {
  /// Go on reading.
  case more
  /// Stop reading until told otherwise. Bytes that were already read may still be delivered: at most one receive buffer or, in
  /// HTTP/2, what the stream's window still allows.
  case pause
}

/// A sender's answer to "what comes next in your body?".
public enum BodyChunk: Sendable {
  /// The next bytes; never empty.
  case bytes([UInt8])
  /// Nothing yet: the sender will say when there is more.
  case later
  /// The body is complete.
  case end
}

/// What to do after a response head.
public enum ResponseDisposition: Sendable, Hashable {
  /// Deliver the body.
  case proceed
  /// End the task.
  case cancel
  /// The task's `decide` will say what to do. Until then nothing more of the response is delivered.
  case later
}

/// What follows a response head that was answered with `later`.
package enum ResponseDecision: Sendable {
  case proceed
  case cancel
  /// The response is not the task's answer: the task goes on with this request. `redirected`: the response is a redirection.
  case `repeat`(OutgoingRequest, redirected: Bool)
}
