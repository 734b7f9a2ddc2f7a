import TapelineSystem
import Testing

@testable import TapelineTLS

struct CertificateSummaryTests {
  @Test func itSaysWhatTheCertificateSays() throws {
    let root = try ForgedCertificate(commonName: "Test Root", isAuthority: true)
    let leaf = try ForgedCertificate(
      commonName: "köln.test", names: "DNS:example.test, IP:192.0.2.7, email:nobody@example.test, IP:2001:db8::1",
      validity: -60...120, issuer: root)
    let summary = leaf.summary
    #expect(summary.subject == "CN=köln.test,O=Tapeline Tests")
    #expect(summary.issuer == "CN=Test Root,O=Tapeline Tests")
    #expect(summary.names == ["example.test", "192.0.2.7", "2001:db8::1"])
    #expect(summary.notAfter - summary.notBefore == 180)
    #expect(abs(summary.notBefore + 60 - SystemClock.unixNanoseconds / 1_000_000_000) < 60)
    #expect(summary.serialNumber == "12345678")
    #expect(summary.fingerprint == leaf.handle.fingerprint)
    #expect(summary.fingerprint.utf8.count == 64)
  }

  @Test func withoutAlternativeNamesThereAreNone() throws {
    let root = try ForgedCertificate(commonName: "Test Root", isAuthority: true)
    #expect(root.summary.names.isEmpty)
  }
}
