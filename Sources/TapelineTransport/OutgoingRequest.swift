package import TapelineHTTP

/// A request as it goes on the wire in an attempt.
package struct OutgoingRequest: Sendable {
  package let head: RequestHead
  package let framing: BodyFraming
  package let route: Route

  package init(head: RequestHead, framing: BodyFraming, route: Route) {
    self.head = head
    self.framing = framing
    self.route = route
  }

  /// Whether a second attempt can send the very same octets without asking anyone (RFC 9110 9.2.2).
  package var isReplayable: Bool {
    head.method.isIdempotent && framing == .none
  }
}
