internal import TapelineLoop
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

  /// The negotiated parameters.
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
/// A client resumes with us by a ticket that we issued. The ticket names the session of the origin by which the client would have
/// resumed without us: its *lineage*. In TLS 1.3 we issue a ticket for each session that the origin gives; before, the session of
/// a connection is named after the connection.
package struct ClientHandshake: Sendable {
  /// Names the session that this connection will be given before TLS 1.3.
  package let lineage: UInt64
  /// The lineage that the client resumed; `nil` when it made a full handshake.
  package let resumed: UInt64?
  /// The protocols that ALPN offers to the origin: the client's, without those that are not spoken here. Empty: no ALPN.
  package let applicationProtocols: [ApplicationProtocol]
  /// The rest of the client's hello that decides how the origin treats it; `nil`: our own.
  package let manner: HelloManner?
  /// `nil`: the client gets its tickets whatever the origin gives.
  private let channel: LoopBound<SecureChannel>?

  package init(
    lineage: UInt64, resumed: UInt64?, applicationProtocols: [ApplicationProtocol], manner: HelloManner? = nil,
    ticketsOn channel: SecureChannel? = nil
  ) {
    self.lineage = lineage
    self.resumed = resumed
    self.applicationProtocols = applicationProtocols
    self.manner = manner
    self.channel = channel.map { LoopBound($0, on: $0.channel.loop) }
  }

  /// Whether the client gets a ticket for each session of the origin.
  var issuesTickets: Bool { channel != nil }

  /// Gives the client, if it speaks TLS 1.3 with us, a ticket that carries `lineage`.
  func issueTicket(_ lineage: UInt64) { channel?.value.issueTicket(lineage) }

  /// Whether the client goes on by the ticket or identifier that it has used, unless it is given another.
  var keepsTicket: Bool { manner.map { $0.newestVersion < .tls13 } ?? false }
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
