package import TapelineTLS

/// How a connection's TLS handshake ended. An object, which every exchange on the connection has.
package final class HandshakeOutcome: Sendable {
  package enum Ending: Sendable {
    case agreed(TLSParameters)
    case failed(TLSError)
  }

  package let ending: Ending

  private init(_ ending: Ending) {
    self.ending = ending
  }

  package static func agreed(_ parameters: TLSParameters) -> HandshakeOutcome { HandshakeOutcome(.agreed(parameters)) }

  package static func failed(_ error: TLSError) -> HandshakeOutcome { HandshakeOutcome(.failed(error)) }

  /// What was negotiated.
  var parameters: TLSParameters? {
    switch ending {
    case .agreed(let parameters): parameters
    case .failed: nil
    }
  }

  /// Why it failed.
  var failure: TLSError? {
    switch ending {
    case .agreed: nil
    case .failed(let error): error
    }
  }
}

/// A client's TLS handshake with us, as far as the handshake with the origin repeats it.
///
/// A client resumes with us by a ticket that we issued. The ticket names the client connection on which we issued it, its
/// *lineage*. Without us, the client would have resumed by one of the sessions that the origin gave on the connection paired with
/// that client connection.
package struct ClientHandshake: Sendable, Hashable {
  /// Names the sessions that this connection will be given.
  package let lineage: UInt64
  /// The lineage that the client resumed; `nil` when it made a full handshake.
  package let resumed: UInt64?
  /// The protocols that ALPN offers to the origin: the client's, without those that are not spoken here. Empty: no ALPN.
  package let applicationProtocols: [ApplicationProtocol]

  package init(lineage: UInt64, resumed: UInt64?, applicationProtocols: [ApplicationProtocol]) {
    self.lineage = lineage
    self.resumed = resumed
    self.applicationProtocols = applicationProtocols
  }
}

/// The plaintext that a queue of ciphertext represents, as a value: tells how much plaintext the kernel has taken with it.
///
/// Exact whenever the queue has run dry; in between, an estimate that never claims the last byte too soon.
struct SealedOutput: Hashable {
  /// Bytes ahead of all ciphertext that holds plaintext: the handshake's, tickets, and bytes sent before TLS.
  private var leading = 0
  private var ciphertext = 0
  private var plaintext = 0

  mutating func append(plaintext added: Int, ciphertext bytes: Int) {
    if added == 0, plaintext == 0 {
      leading += bytes
    } else {
      ciphertext += bytes
      plaintext += added
    }
  }

  /// The kernel took `count` bytes of ciphertext. Answers the plaintext in them; `nil` when they held only messages of TLS
  /// itself.
  mutating func remove(_ count: Int) -> Int? {
    let ahead = min(count, leading)
    leading -= ahead
    let taken = count - ahead
    guard taken > 0 else { return nil }
    precondition(taken <= ciphertext, "more bytes left than were sealed")
    let plain = taken == ciphertext ? plaintext : plaintext * taken / ciphertext
    ciphertext -= taken
    plaintext -= plain
    return plain
  }
}
