/// What a non-blocking call achieved.
package enum IOResult: Hashable, Sendable {
  /// It moved this many bytes. For a read, 0 is the peer's FIN.
  case done(Int)
  /// It would have had to wait; the loop says when to try again.
  case wouldBlock
}
