/// Why a piece of test equipment could not do what the test asked of it.
package enum TestSupportError: Error, Sendable {
  /// A system call failed with this `errno`.
  case system(call: String, code: Int32)
  /// The deadline passed first.
  case timedOut(waitingFor: String)
  /// The peer closed or reset the connection first; what had come by then is kept for the failure's text.
  case ended(StreamEnd, waitingFor: String, received: [UInt8])
  /// The peer sent something that cannot be read as what was asked for.
  case malformed(String)
  /// A program that the test needs could not be used.
  case program(String)
}

/// How a byte stream ended, seen from its reader.
package enum StreamEnd: Sendable, Hashable {
  /// The peer closed its sending side in order.
  case closed
  /// The peer, or the kernel for it, sent RST.
  case reset
}
