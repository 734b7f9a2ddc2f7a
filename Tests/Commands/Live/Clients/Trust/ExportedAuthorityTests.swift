import TapelineOffline
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import TapelineLive

@Suite("Exported authority")
struct ExportedAuthorityTests {
  @Test("A failure keeps the words of the authority, and tells bad files from refused ones")
  func mapping() {
    let failure = CommandFailure(AuthorityError(.expired, what: "x", why: "y", remedy: "z"))
    #expect(failure == CommandFailure(status: .badInput, what: "x", why: "y", remedy: "z"))
    #expect(CommandFailure(AuthorityError(.file, what: "x", why: "y", remedy: "z")).status == .cannotCreate)
  }

  @Test("It says what there is, and where")
  func lines() throws {
    let temporary = try TemporaryDirectory()
    let directory = AuthorityDirectory(path: temporary.path("ca"))
    let certificate = try CertificateAuthority.loadOrCreate(in: directory).certificate
    let lines = ExportedAuthority.lines(certificate, directory)
    #expect(lines.contains("name         \(certificate.commonName)"))
    #expect(lines.contains("sha256       \(certificate.fingerprint)"))
    #expect(lines.contains("certificate  \(temporary.path("ca/ca.pem"))"))
    #expect(lines.contains("key          \(temporary.path("ca/ca.key"))"))
  }

  @Test("A device's name still names the device afterwards")
  func device() throws {
    let failure = #expect(throws: CommandFailure.self) { try ExportedAuthority.write([1], to: "/dev/null") }
    #expect(failure?.status == .cannotCreate)
    #expect(failure?.why == "it is not a regular file")
  }
}
