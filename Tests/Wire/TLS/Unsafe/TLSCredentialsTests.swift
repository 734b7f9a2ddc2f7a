import COpenSSL
import TapelineTime
import Testing

@testable import TapelineTLS

@Suite("TLS credentials")
struct TLSCredentialsTests {
  @Test("OpenSSL finds leaf and key to belong together, and the chain in its place")
  func handles() throws {
    let now = wallClockSeconds()
    let authority = try CertificateAuthority.make(now: now)
    let key = try PrivateKeyHandle.makeP256()
    let leaf = try authority.leaf(for: LeafName(host: "example.test"), key: key, validity: now...(now + 60))
    let root = authority.certificate.handle
    let credentials = TLSCredentials(leaf: leaf, key: key, chain: [root])
    unsafe credentials.withUnsafeHandles { certificate, key, chain in
      #expect(unsafe X509_check_private_key(certificate, key) == 1)
      #expect(unsafe chain == [root.pointer])
    }
  }
}
