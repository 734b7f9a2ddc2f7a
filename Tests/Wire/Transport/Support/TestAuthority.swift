import TapelineSystem
import TapelineTestSupport

@testable import TapelineTLS

/// An authority of the test's own, in memory, and what goes with it: credentials with any fault, contexts that trust it.
final class TestAuthority: Sendable {
  let serverContext: TLSServerContext
  let trust: TrustStore
  private let name = DistinguishedName(commonName: "test authority")
  private let key: PrivateKeyHandle
  private let leafKey: PrivateKeyHandle

  init() throws {
    key = try PrivateKeyHandle.makeP256()
    leafKey = try PrivateKeyHandle.makeP256()
    let identifier = KeyIdentifier.short(of: key.publicKeyInfo)
    let root = try CertificateTemplate(
      serialNumber: [1], issuer: name, subject: name, validity: Self.now - 60...Self.now + 3600,
      publicKeyInfo: key.publicKeyInfo,
      extensions: [.authorityOfLeaves, .usageOfAuthority, .subjectKeyIdentifier(identifier)]
    ).signed(by: key)
    // A trust store is made from a file, which it has read when it stands.
    let directory = try TemporaryDirectory()
    trust = try TrustStore.only(try directory.write(PEM.text(label: "CERTIFICATE", der: root.der), to: "root.pem"))
    serverContext = try TLSServerContext()
  }

  func clientContext(
    verifies: Bool = true, policy: TLSPolicy = .secure, applicationProtocols: [ApplicationProtocol] = [.http11]
  ) throws -> TLSClientContext {
    try TLSClientContext(
      trust: trust, verifies: verifies, policy: policy, applicationProtocols: applicationProtocols)
  }

  /// For `host`, valid for the given seconds from now.
  func credentials(for host: String, validity: ClosedRange<Int64> = -60...3600) throws -> TLSCredentials {
    try credentials(for: host, validity: validity, issuer: name, signedBy: key)
  }

  func selfSignedCredentials(for host: String) throws -> TLSCredentials {
    try credentials(for: host, validity: -60...3600, issuer: DistinguishedName(commonName: host), signedBy: leafKey)
  }

  private func credentials(
    for host: String, validity: ClosedRange<Int64>, issuer: DistinguishedName, signedBy key: PrivateKeyHandle
  ) throws -> TLSCredentials {
    let leaf = try CertificateTemplate(
      serialNumber: [2], issuer: issuer, subject: DistinguishedName(commonName: host),
      validity: Self.now + validity.lowerBound...Self.now + validity.upperBound, publicKeyInfo: leafKey.publicKeyInfo,
      extensions: [
        .leaf, .usageOfLeaf, .serverAuthentication, .alternativeName(try LeafName(host: host), isCritical: false),
        .authorityKeyIdentifier(KeyIdentifier.short(of: key.publicKeyInfo)),
      ]
    ).signed(by: key)
    return TLSCredentials(leaf: leaf, key: leafKey)
  }

  private static var now: Int64 { SystemClock.unixNanoseconds / 1_000_000_000 }
}
