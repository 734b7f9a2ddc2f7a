import Testing

@testable import TapelineTLS

@Suite("Certificate authority")
struct CertificateAuthorityTests {
  static let now: Int64 = 1_795_266_801
  static let month = (now - 3_600)...(now + 30 * 86_400)

  let authority: CertificateAuthority
  let key: PrivateKeyHandle

  init() throws {
    authority = try .make(now: Self.now)
    key = try .makeP256()
  }

  private func leaf(_ host: String, validity: ClosedRange<Int64> = month) throws -> X509Handle {
    try authority.leaf(for: LeafName(host: host), key: key, validity: validity)
  }

  @Test(
    "A strict client takes a leaf for its host",
    arguments: [
      "example.test", "a", "x_1.example.test", "xn--mnchen-3ya.de", "127.0.0.1", "::1", "2001:db8::17",
      String(repeating: "a", count: 63) + ".example.test",
      Array(repeating: String(repeating: "b", count: 62), count: 4).joined(separator: "."),
    ])
  func accepted(host: String) throws {
    #expect(
      verification(of: try leaf(host), under: authority.certificate.handle, for: host, at: Self.now) == "ok")
  }

  @Test("and for no other")
  func hostMismatch() throws {
    let leaf = try leaf("example.test")
    let root = authority.certificate.handle
    #expect(verification(of: leaf, under: root, for: "sub.example.test", at: Self.now) == "hostname mismatch")
    #expect(verification(of: leaf, under: root, for: "127.0.0.1", at: Self.now) == "IP address mismatch")
  }

  @Test("A leaf is valid for its time only")
  func validity() throws {
    let leaf = try leaf("example.test")
    let root = authority.certificate.handle
    #expect(verification(of: leaf, under: root, for: "example.test", at: Self.now - 3_600) == "ok")
    #expect(
      verification(of: leaf, under: root, for: "example.test", at: Self.now + 31 * 86_400) == "certificate has expired")
    #expect(leaf.notBefore == Self.now - 3_600)
    #expect(leaf.notAfter == Self.now + 30 * 86_400)
  }

  @Test("Another authority of the same name does not vouch for it")
  func otherAuthority() throws {
    let other = try CertificateAuthority.make(now: Self.now)
    #expect(
      verification(of: try leaf("example.test"), under: other.certificate.handle, for: "example.test", at: Self.now) != "ok")
  }

  @Test("The root says what it may do, and for how long")
  func root() throws {
    let text = text(of: authority.certificate.handle)
    #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0"))
    #expect(text.contains("X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign"))
    #expect(text.contains("ASN1 OID: prime256v1"))
    #expect(text.contains("Signature Algorithm: ecdsa-with-SHA256"))
    #expect(authority.certificate.validity == (Self.now - 3_600)...(Self.now + 3_652 * 86_400))
    #expect(authority.certificate.commonName.hasPrefix("tapeline CA ("))
    #expect(authority.certificate.commonName.hasSuffix(", 2026-11-21)"))
  }

  @Test("A leaf serves, and does nothing else")
  func leafText() throws {
    let text = text(of: try leaf("example.test"))
    #expect(text.contains("X509v3 Basic Constraints: critical\n                CA:FALSE"))
    #expect(text.contains("X509v3 Key Usage: critical\n                Digital Signature\n"))
    #expect(text.contains("X509v3 Extended Key Usage: \n                TLS Web Server Authentication\n"))
    #expect(text.contains("X509v3 Subject Alternative Name: \n                DNS:example.test\n"))
    #expect(text.contains("Subject: CN=example.test\n"))
    #expect(text.contains("X509v3 Authority Key Identifier"))
  }

  @Test("A name of more than 64 bytes is no common name; the alternative name is critical then")
  func longName() throws {
    let text = text(of: try leaf(String(repeating: "a", count: 63) + ".test"))
    #expect(text.contains("Subject: \n"))
    #expect(text.contains("X509v3 Subject Alternative Name: critical\n"))
  }

  @Test("Serial numbers are positive and do not repeat")
  func serialNumbers() throws {
    let certificates = try (0..<64).map { _ in text(of: try leaf("example.test")) }
    #expect(certificates.allSatisfy { !$0.contains("(Negative)") })
    let serialNumbers = certificates.map { $0.split(separator: "\n").drop { !$0.contains("Serial Number:") }.dropFirst().first }
    #expect(Set(serialNumbers).count == 64)
  }

  @Test("The common name has at most 64 characters, all printable")
  func commonName() {
    #expect(CertificateAuthority.commonName(host: "box", now: 951_827_696) == "tapeline CA (box, 2000-02-29)")
    #expect(CertificateAuthority.commonName(host: "b\u{7}é x", now: 951_827_696) == "tapeline CA (bx, 2000-02-29)")
    #expect(CertificateAuthority.commonName(host: String(repeating: "h", count: 255), now: 951_827_696).count == 64)
  }
}
