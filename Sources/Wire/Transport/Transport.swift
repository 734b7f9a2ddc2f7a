package import TapelineHTTP
package import TapelineLoop
package import TapelineTime

/// Has tasks carried out. One real implementation, `NetworkTransport`; replay has another, and tests have scripted ones.
///
/// Loop-bound. What it starts gets a carrier, which every later command goes to.
package protocol Transport: AnyObject {
  /// Begins the task's first attempt.
  func start(_ task: SessionTask)
  /// Whether a connection that all tasks share stands, on which the route's origin takes extended CONNECTs (RFC 8441 3).
  func offersExtendedConnect(on route: Route) -> Bool
}

extension Transport {
  /// For a transport without HTTP/2.
  package func offersExtendedConnect(on route: Route) -> Bool { false }
}

/// A task's events, told on its loop, in the order of the wire. `SessionDelegate` listens to them, and tells the task's
/// owner.
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
  /// The task begins its `work`: the first, or the exchange that a response led to which was not the task's answer.
  func taskWillBegin(_ task: SessionTask)
  /// The transport reads no more of the response to an earlier exchange. `attempt`: the number of its last attempt.
  func task(_ task: SessionTask, didLeaveAttempt attempt: Int)
  /// Bytes of a stream task are about to be sent.
  func task(_ task: SessionTask, willSend bytes: Span<UInt8>)
  /// Our direction of a stream task is about to end.
  func taskWillFinishSending(_ task: SessionTask)
  /// The task's metrics are complete. Exactly once, before `didComplete`.
  func taskDidGatherMetrics(_ task: SessionTask)
  /// Exactly once, the last event.
  func task(_ task: SessionTask, didCompleteWith error: TransportError?)
}

extension SessionTaskEvents {
  /// For a listener that only wants what can be read.
  package func task(_ task: SessionTask, passesUnread error: TransportError) -> Bool { false }
  /// For a listener that knows itself what it sends.
  package func taskWillBegin(_ task: SessionTask) {}
  package func task(_ task: SessionTask, didLeaveAttempt attempt: Int) {}
  package func task(_ task: SessionTask, willSend bytes: Span<UInt8>) {}
  package func taskWillFinishSending(_ task: SessionTask) {}
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

/// The receiver's decision about a response, once it has the head.
public enum ResponseDisposition: Sendable, Hashable {
  /// Deliver the body.
  case proceed
  /// End the task.
  case cancel
  /// The task's `decide` will say what to do. Until then nothing more of the response is delivered.
  case later
}

/// The decision that follows a response head that was answered with `later`.
package enum ResponseDecision: Sendable {
  case proceed
  case cancel
  /// The response is not the task's answer: the task goes on with this request. `redirected`: the response is a redirection.
  case `repeat`(OutgoingRequest, redirected: Bool)
}
