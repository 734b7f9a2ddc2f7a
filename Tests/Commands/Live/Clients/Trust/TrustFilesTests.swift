import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Trust files")
struct TrustFilesTests {
  @Test("The bundle has everybody's authorities, and wget's start-up file the user's own lines")
  func files() throws {
    let directory = try TemporaryDirectory()
    let home = AuthorityDirectory(path: directory.path("ca"))
    let other = AuthorityDirectory(path: directory.path("other"))
    let authority = try CertificateAuthority.loadOrCreate(in: home).certificate
    let theirs = try CertificateAuthority.loadOrCreate(in: other).certificate
    try directory.write("timeout = 7", to: ".wgetrc")
    let files = try TrustFiles(
      in: directory.path, authority: authority, upstreamAuthorities: [],
      environment: [
        "HOME": directory.path, "CURL_CA_BUNDLE": other.certificateFile, "PIP_CERT": directory.path("missing"),
      ])
    #expect(files.bundle == directory.path("ca-bundle.pem"))
    let bundle = try readText(files.bundle)
    #expect(bundle.contains(authority.pem))
    #expect(bundle.contains(theirs.pem))
    #expect(try readText(files.wgetrc) == "timeout = 7\nca_certificate = \(files.bundle)\n")
    #expect(files.phpDirectories == ":\(directory.path("php"))", "PHP's own directory first")
    #expect(
      try readText(directory.path("php/tapeline.ini"))
        == "curl.cainfo=\"\(files.bundle)\"\nopenssl.cafile=\"\(files.bundle)\"\n")
  }

  @Test("Made again in a shell that has them already, they stay the same")
  func again() throws {
    let directory = try TemporaryDirectory()
    let authority = try CertificateAuthority.loadOrCreate(in: AuthorityDirectory(path: directory.path("ca"))).certificate
    func make(_ environment: [String: String]) throws -> TrustFiles {
      try TrustFiles(in: directory.path, authority: authority, upstreamAuthorities: [], environment: environment)
    }
    let first = try make([:])
    let before = try (readText(first.bundle), readText(first.wgetrc))
    let second = try make([
      "CURL_CA_BUNDLE": first.bundle, "WGETRC": first.wgetrc, "PHP_INI_SCAN_DIR": "/etc/own:\(directory.path("php"))",
    ])
    #expect(second.phpDirectories == "/etc/own:\(directory.path("php"))")
    #expect(try readText(second.bundle) == before.0)
    #expect(try readText(second.wgetrc) == before.1)
  }
}
