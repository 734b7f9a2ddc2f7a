import TapelineDigest
import TapelineTestSupport
import Testing

@testable import TapelineTLS

@Suite("Authority certificate")
struct AuthorityCertificateTests {
  private static let now: Int64 = 1_795_266_801
  private let certificate: AuthorityCertificate

  init() throws {
    certificate = try CertificateAuthority.make(commonName: "test", validity: Self.now...(Self.now + 60)).certificate
  }

  @Test("It reads what it has written")
  func roundTrip() throws {
    let read = try AuthorityCertificate(pem: Array(certificate.pem.utf8), file: "ca.pem")
    #expect(read.fingerprint == certificate.fingerprint)
    #expect(read.subject == certificate.subject)
    #expect(read.keyIdentifier == certificate.keyIdentifier)
    #expect(read.publicKeyInfo == certificate.publicKeyInfo)
    #expect(read.validity == certificate.validity)
    #expect(read.commonName == "test")
    #expect(read.keyPin == certificate.keyPin)
  }

  @Test("The fingerprint is the digest of the DER form")
  func fingerprint() {
    #expect(certificate.fingerprint == MessageDigest.sha256.hexadecimal(of: certificate.der.span))
    #expect(certificate.fingerprint.count == 64)
  }

  @Test("Its time includes both ends")
  func validity() throws {
    try certificate.checkValidity(at: Self.now, source: "x")
    try certificate.checkValidity(at: Self.now + 60, source: "x")
    let early = #expect(throws: AuthorityError.self) { try certificate.checkValidity(at: Self.now - 1, source: "x") }
    #expect(early?.kind == .notYetValid)
    let late = #expect(throws: AuthorityError.self) { try certificate.checkValidity(at: Self.now + 61, source: "x") }
    #expect(late?.kind == .expired)
    #expect(late?.why == "the authority expired on 2026-11-21")
  }

  @Test("A certificate that may not sign is no authority's")
  func leaf() throws {
    let authority = try CertificateAuthority.make(now: Self.now)
    let leaf = try authority.leaf(for: LeafName(host: "a"), key: authority.key, validity: Self.now...Self.now)
    let error = #expect(throws: AuthorityError.self) { try AuthorityCertificate(leaf, source: "x") }
    #expect(error?.kind == .unusable)
  }

  @Test("Writing it replaces a file, for everybody to read")
  func write() throws {
    let temporary = try TemporaryDirectory()
    let path = try temporary.write("old", to: "ca.crt", mode: 0o600)
    try certificate.write(to: path)
    #expect(try readText(path) == certificate.pem)
  }
}
