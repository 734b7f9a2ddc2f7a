import ArgumentParser
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("ca create")
struct CACreateCommandTests {
  @Test("It says what there is, and where")
  func lines() throws {
    let temporary = try TemporaryDirectory()
    let directory = AuthorityDirectory(path: temporary.path("ca"))
    let certificate = try CertificateAuthority.loadOrCreate(in: directory).certificate
    let lines = CACreateCommand.lines(certificate, directory)
    #expect(lines.contains("name         \(certificate.commonName)"))
    #expect(lines.contains("sha256       \(certificate.fingerprint)"))
    #expect(lines.contains("certificate  \(temporary.path("ca/ca.pem"))"))
    #expect(lines.contains("key          \(temporary.path("ca/ca.key"))"))
  }

  @Test("A second time changes nothing")
  func twice() throws {
    let temporary = try TemporaryDirectory()
    let directory = AuthorityDirectory(path: temporary.path("ca"))
    try create(directory)
    let key = try readFile(directory.keyFile)
    try create(directory)
    #expect(try readFile(directory.keyFile) == key)
  }

  private func create(_ directory: AuthorityDirectory) throws {
    var command = try CACommand.parseAsRoot(["create", "--ca-dir", directory.path])
    try command.run()
  }
}
