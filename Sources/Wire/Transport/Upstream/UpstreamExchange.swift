internal import TapelineTime

/// One exchange on a connection, as a value: the progress of its two directions, and what that allows.
///
/// The two directions end in either order (RFC 9112 9.3): a final response may come before the request is complete.
struct UpstreamExchange: Hashable {
  /// The connection waited before this exchange, so the origin may have ended it just as it was used.
  let hasWaited: Bool
  /// The request may be sent again as it is.
  let isReplayable: Bool
  /// The connection stands for one of the client's own, whose end is the client's to hear of.
  let isPaired: Bool
  /// Whether the request told the upstream proxy who we are.
  let isAuthorized: Bool
  /// Bytes still owed of a request body with a length.
  private(set) var bodyRemaining: UInt64
  private(set) var requestEnded = false
  private(set) var responseBegan = false
  /// When the first byte of the current response head came; each interim response has its own.
  private(set) var headBegan: MonotonicInstant?
  /// The final response's head is complete.
  private(set) var headEnded = false
  private(set) var responseEnded = false
  /// Nothing can follow on the connection: the origin sent bytes after its response that answer no request.
  private(set) var isLast = false

  init(
    hasWaited: Bool, isReplayable: Bool, isPaired: Bool = false, isAuthorized: Bool = false, bodyLength: UInt64 = 0
  ) {
    self.hasWaited = hasWaited
    self.isReplayable = isReplayable
    self.isPaired = isPaired
    self.isAuthorized = isAuthorized
    bodyRemaining = bodyLength
  }

  // MARK: The request

  /// `count` bytes of a body with a length were handed to the connection.
  mutating func sendBody(_ count: Int) {
    precondition(UInt64(count) <= bodyRemaining, "a body source gave more than the length it promised")
    bodyRemaining -= UInt64(count)
  }

  /// The last byte of the request was handed to the connection.
  mutating func endRequest() {
    requestEnded = true
  }

  // MARK: The response

  /// Bytes came from the origin.
  mutating func beginResponse(at instant: MonotonicInstant) {
    responseBegan = true
    if headBegan == nil { headBegan = instant }
  }

  /// An interim head is complete.
  ///
  /// - Parameter next: when the first byte of the next head came, if one has.
  mutating func endInformationalHead(next: MonotonicInstant?) {
    headBegan = next
  }

  mutating func endHead() {
    precondition(responseBegan, "a head ended that had not begun")
    headEnded = true
  }

  /// - Parameter isLast: bytes came behind the response, or the end of the connection ended it.
  mutating func endResponse(isLast: Bool = false) {
    precondition(responseBegan, "a response ended that had not begun")
    responseEnded = true
    self.isLast = isLast
  }

  /// Bytes came after the response, while the request was still going out.
  mutating func receiveExcess() {
    isLast = true
  }

  // MARK: Questions

  /// The phase that an error now belongs to: sending lasts until the request is complete, whatever has come meanwhile.
  var reached: TransportError.Phase {
    !requestEnded ? .send : responseBegan ? .receive : .wait
  }

  /// Whether the origin has answered before all of the request was sent.
  var isAnsweredEarly: Bool { responseEnded && !requestEnded }

  /// Whether the response is still awaited: it is until its head is complete.
  var awaitsResponse: Bool { requestEnded && !headEnded }

  /// Whether the same request may go out again, on another connection: it is idempotent, and the server has not said anything.
  var isRepeatable: Bool { isReplayable && !responseBegan }

  /// Whether losing the connection now may be answered by a second attempt, once: the origin closed an idle connection at the
  /// moment we reused it (RFC 9112 9.3.1), and the request is repeatable. A client whose connection this one stands for decides
  /// by itself.
  func allowsRetry(attempts: Int) -> Bool {
    hasWaited && !isPaired && isRepeatable && attempts == 1
  }

  /// Whether losing the connection now is, for the client, the end of a connection of its own, if that has carried other
  /// exchanges: it may send the request again.
  var endsForClient: Bool {
    hasWaited && isPaired && !responseBegan
  }

  /// Whether this exchange leaves the connection fit for another one.
  var leavesConnectionClean: Bool {
    requestEnded && responseEnded && !isLast
  }
}
