/// How far one exchange on one connection has come, and what that allows: a pure value.
///
/// The two directions end in either order (RFC 9112 9.3): a final response may come before the request is complete.
struct ExchangeProgress: Hashable {
  /// The connection stood unused before this exchange, which the origin may have ended at the moment it was used.
  let hasWaited: Bool
  /// The request may be sent again as it is.
  let isReplayable: Bool
  private(set) var requestEnded = false
  private(set) var responseBegan = false
  /// The final response's head is complete.
  private(set) var headEnded = false
  private(set) var responseEnded = false

  init(hasWaited: Bool, isReplayable: Bool) {
    self.hasWaited = hasWaited
    self.isReplayable = isReplayable
  }

  /// The last byte of the request was handed to the connection.
  mutating func endRequest() {
    requestEnded = true
  }

  /// Any byte came from the origin.
  mutating func beginResponse() {
    responseBegan = true
  }

  mutating func endHead() {
    precondition(responseBegan, "a head ended that had not begun")
    headEnded = true
  }

  mutating func endResponse() {
    precondition(responseBegan, "a response ended that had not begun")
    responseEnded = true
  }

  /// Whether losing the connection now may be answered by a second attempt, which http.md allows once: the origin closed an
  /// idle connection at the moment we reused it (RFC 9112 9.3.1), said nothing, and the request is idempotent.
  func allowsRetry(attempts: Int) -> Bool {
    hasWaited && isReplayable && !responseBegan && attempts == 1
  }

  /// Whether the connection can carry another exchange, as far as this one is concerned.
  var leavesConnectionClean: Bool {
    requestEnded && responseEnded
  }
}
