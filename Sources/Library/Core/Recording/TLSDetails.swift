package import TapelineTLS
package import TapelineTransport

/// The facts about one TLS connection: all of them if tapeline was an endpoint, only those sent in clear in the handshake if it
/// relayed.
///
/// A reference that looks like a value: every exchange on a connection has it, and would otherwise retain the connection's dozen
/// strings on one thread and release them on another.
@dynamicMemberLookup
package struct TLSDetails: Sendable, Hashable {
  private enum Content: Sendable {
    case facts(SharedFacts)
    /// The facts are extracted only when they are read.
    case handshake(HandshakeOutcome)
  }

  private final class SharedFacts: Sendable {
    let facts: Facts

    init(_ facts: Facts) {
      self.facts = facts
    }
  }

  private var content: Content

  package init() {
    content = .facts(SharedFacts(Facts()))
  }

  /// The details of a connection with an origin.
  package init(_ outcome: HandshakeOutcome) {
    content = .handshake(outcome)
  }

  package var facts: Facts {
    get {
      switch content {
      case .facts(let shared): shared.facts
      case .handshake(let outcome): Facts(outcome)
      }
    }
    set { content = .facts(SharedFacts(newValue)) }
  }

  /// The object behind the value: while it lives, values of the same object have the same facts.
  package var identity: ObjectIdentifier {
    switch content {
    case .facts(let shared): ObjectIdentifier(shared)
    case .handshake(let outcome): ObjectIdentifier(outcome)
    }
  }

  package subscript<Value>(dynamicMember member: WritableKeyPath<Facts, Value>) -> Value {
    get { facts[keyPath: member] }
    set { facts[keyPath: member] = newValue }
  }

  package static func == (left: TLSDetails, right: TLSDetails) -> Bool { left.facts == right.facts }

  package func hash(into hasher: inout Hasher) { hasher.combine(facts) }

  /// The facts about the connection.
  package struct Facts: Sendable, Hashable {
    /// The version in use, as OpenSSL names it: `TLSv1.3`.
    package var version: String?
    /// The cipher suite's IANA name.
    package var cipher: String?
    /// The application protocol agreed on (RFC 7301).
    package var applicationProtocol: String?
    /// The server name that the client asked for (RFC 6066 3).
    package var serverName: String?
    package var isResumed: Bool?
    /// The versions and protocols that the ClientHello offered, in its order.
    package var offeredVersions: [String] = []
    package var offeredProtocols: [String] = []
    /// Those of the client's protocols that the server was offered in turn, where tapeline has ended the client's connection.
    package var passedProtocols: [String] = []
    /// From the ClientHello's first byte on its way to the ServerHello's.
    package var helloNanoseconds: Int64?
    /// The server's own certificate, where it is seen.
    package var certificate: Certificate?
    /// Whether the peer's certificate was accepted although it could not be verified.
    package var isUnverified = false
    /// The alert that ended the connection, by its name in RFC 8446 6, and who sent it.
    package var alert: Alert?

    package init() {}
  }

  package struct Certificate: Sendable, Hashable {
    package var subject: String
    package var issuer: String
    /// Subject alternative names, DNS and addresses.
    package var names: [String]
    /// Seconds since 1970.
    package var notBefore: Int64
    package var notAfter: Int64
    /// SHA-256 of the DER form, lower-case hexadecimal.
    package var fingerprint: String
    package var serialNumber: String

    package init(
      subject: String, issuer: String, names: [String], notBefore: Int64, notAfter: Int64, fingerprint: String,
      serialNumber: String
    ) {
      self.subject = subject
      self.issuer = issuer
      self.names = names
      self.notBefore = notBefore
      self.notAfter = notAfter
      self.fingerprint = fingerprint
      self.serialNumber = serialNumber
    }
  }

  package struct Alert: Sendable, Hashable {
    package var name: String
    /// `client`, `upstream` or `local`, as in `ExchangeRecord.Failure`.
    package var origin: String

    package init(name: String, origin: String) {
      self.name = name
      self.origin = origin
    }
  }
}

extension TLSDetails {
  /// Takes over the parameters that were agreed on.
  package mutating func adopt(_ parameters: TLSParameters) {
    facts.adopt(parameters)
  }

  /// Takes over the failure of a connection; `peer` is its other end.
  package mutating func adopt(_ failure: TLSError, peer: String) {
    facts.adopt(failure, peer: peer)
  }
}

extension TLSDetails.Facts {
  /// The details of a connection with an origin.
  init(_ outcome: HandshakeOutcome) {
    self.init()
    switch outcome.ending {
    case .agreed(let parameters):
      adopt(parameters)
      serverName = parameters.serverName
    case .failed(let error):
      adopt(error, peer: "upstream")
    }
  }

  mutating func adopt(_ parameters: TLSParameters) {
    version = parameters.version.name
    cipher = parameters.cipher
    applicationProtocol = parameters.applicationProtocol?.name
    isResumed = parameters.isResumed
    certificate = parameters.certificate.map { TLSDetails.Certificate($0) }
    switch parameters.verification {
    case .unverified: isUnverified = true
    case .verified, .notAsked: isUnverified = false
    }
  }

  mutating func adopt(_ failure: TLSError, peer: String) {
    if let refused = failure.certificate { certificate = TLSDetails.Certificate(refused) }
    if case .peerAlert(let received) = failure.kind {
      alert = TLSDetails.Alert(name: received.name, origin: peer)
    } else if let sent = failure.alertSent {
      alert = TLSDetails.Alert(name: sent.name, origin: "local")
    }
  }
}

extension TLSDetails.Certificate {
  fileprivate init(_ summary: CertificateSummary) {
    self.init(
      subject: summary.subject, issuer: summary.issuer, names: summary.names, notBefore: summary.notBefore,
      notAfter: summary.notAfter, fingerprint: summary.fingerprint, serialNumber: summary.serialNumber)
  }
}
