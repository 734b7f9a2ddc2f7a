import TapelineOffline
@testable import TapelineLive
import TapelineTLS
import TapelineTestSupport
import Testing

@Suite("Client trust")
struct TrustMaterialTests {
  @Test("The files are made; without a Java there is no store for it")
  func files() throws {
    let directory = try TemporaryDirectory()
    let home = AuthorityDirectory(path: directory.path("ca"))
    let upstream = AuthorityDirectory(path: directory.path("upstream"))
    let authority = try CertificateAuthority.loadOrCreate(in: home).certificate
    let theirs = try CertificateAuthority.loadOrCreate(in: upstream).certificate
    let interception = RecordingStatus.Interception(
      directory: home.path, upstreamAuthorities: [upstream.certificateFile])
    let trust = try TrustMaterial(in: directory.path, interception: interception, environment: [:])
    #expect(trust.javaStore == nil)
    let bundle = try readText(trust.files.bundle)
    #expect(bundle.contains(authority.pem))
    #expect(bundle.contains(theirs.pem))
  }

  @Test("Without an authority there is nothing to trust")
  func missing() throws {
    let directory = try TemporaryDirectory()
    let interception = RecordingStatus.Interception(directory: directory.path, upstreamAuthorities: [])
    #expect(throws: CommandFailure.self) {
      try TrustMaterial(in: directory.path, interception: interception, environment: [:])
    }
  }
}
