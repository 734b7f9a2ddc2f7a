/// A receiver's answer to each piece of bytes: the whole of our back-pressure.
public enum Demand: Sendable, Hashable {
  /// Go on reading.
  case more
  /// Stop reading until told otherwise. Bytes that were already read may still be delivered: at most one receive buffer.
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
