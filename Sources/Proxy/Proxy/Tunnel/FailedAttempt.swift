internal import TapelineCore

/// Our own TLS with an origin, which failed before the client's was relayed.
struct FailedAttempt {
  let failure: ExchangeRecord.Failure
  let helloSize: UInt64

  /// A client that refuses the origin sends an alert after its hello at the most, encrypted, and before it a change of ciphers
  /// (RFC 8446 5 and D.4). One that goes on sends its Finished and a request.
  private static let alertSize: UInt64 = 64

  /// Whether the client has got further than we did.
  ///
  /// - Parameter count: the bytes that it sent.
  func wasOvercome(by count: UInt64) -> Bool { count > helloSize + Self.alertSize }
}

extension ExchangeRecord {
  /// The client has failed as we have.
  mutating func note(_ attempt: FailedAttempt) {
    failure = attempt.failure
    endedByClient = nil
    unread = nil
    comment = nil
  }
}
