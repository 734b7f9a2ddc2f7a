internal import TapelineCore
internal import TapelineTLS
internal import TapelineBase
package import TapelineTime
internal import TapelineTransport

/// An origin's demand for a certificate that only its client has. Told to a person once.
package struct CertificateDemand: Sendable, Hashable {
  package let host: String
  /// The name of the client's program, or its address.
  package let client: String
  /// How the origin made it: the alert, or that it hung up.
  package let manner: String
  package let since: MonotonicInstant
  /// When the client is intercepted again, unless it connects before; `nil`: it is never passed through.
  package var expires: MonotonicInstant?

  package init(host: String, client: String, manner: String, since: MonotonicInstant, expires: MonotonicInstant?) {
    self.host = host
    self.client = client
    self.manner = manner
    self.since = since
    self.expires = expires
  }

  /// Why the client is passed through, after the host's name.
  var reason: String { "asks for a client certificate (\(manner))" }
}

extension CertificateDemand {
  /// The words of nginx where `ssl_verify_client` is on, in an answer with the status 400.
  private static let words = Array("No required SSL certificate was sent".utf8)
  private static let longestPage = 4_096

  /// Whether the answer is that of a server that demands a certificate by an answer instead of an alert.
  static func isMade(by body: BodyCapture) -> Bool {
    guard body.bytes.count <= longestPage else { return false }
    return body.bytes.indices.contains { body.bytes[$0...].starts(with: words) }
  }
}

extension TransportError {
  /// How the origin demanded a certificate, for people.
  var certificateDemand: String {
    if case .alert(let name) = kind { "alert \(name)" } else { "it hung up" }
  }
}

extension Interception {
  /// Why the connection of this client is relayed, if the origin has demanded a certificate of one like it.
  func relayForCertificate(
    of hello: ClientHello, from address: String, for host: String, at now: MonotonicInstant
  ) -> Decision? {
    let source = TLSClient.Source(address: address, fingerprint: hello.kinship)
    guard let demand = clients.certificateDemand(from: source, for: host, at: now) else { return nil }
    return .relay(.clientCertificate, comment: "passed through: \(host) \(demand.reason), which only its client has")
  }

  /// The origin wants a certificate of `client`, and got none from us.
  ///
  /// - Parameter kinship: of the client's hello.
  /// - Returns: the comment for the entry.
  func noteCertificateDemand(
    _ manner: String, by host: String, of client: TLSClient, kinship: HelloFingerprint, at now: MonotonicInstant
  ) -> String {
    let expires = failsOpen ? now.advanced(by: ClientTrust.verdict) : nil
    let demand = CertificateDemand(host: host, client: client.name, manner: manner, since: now, expires: expires)
    let source = TLSClient.Source(address: client.source.address, fingerprint: kinship)
    if clients.note(demand, of: source), let certificateNotice { certificateNotice(demand) }
    let asks = "\(host) \(demand.reason), which only its client has"
    return failsOpen
      ? "\(asks): from now on \(client.name) is passed through to that host; with --client-cert \(host)=FILE tapeline presents it"
      : "\(asks): with --client-cert \(host)=FILE tapeline presents it"
  }
}
