import ArgumentParser
import TapelineOffline
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("ca export")
struct CAExportCommandTests {
  private let temporary: TemporaryDirectory

  init() throws {
    temporary = try TemporaryDirectory()
  }

  private func run(_ arguments: [String]) throws {
    var command = try CACommand.parseAsRoot(["export", "--ca-dir", temporary.path("ca")] + arguments)
    try command.run()
  }

  @Test("A file is written, or replaced, and never holds the key")
  func file() throws {
    let authority = try CertificateAuthority.loadOrCreate(in: AuthorityDirectory(path: temporary.path("ca")))
    let path = try temporary.write("old", to: "out")
    try run(["-o", path])
    #expect(try readText(path) == authority.certificate.pem)
    try run(["-o", path, "--format", "der"])
    #expect(try readFile(path) == authority.certificate.der)
    try run(["-o", path, "--format", "spki"])
    #expect(try readText(path) == "\(authority.certificate.keyPin)\n")
  }

  @Test("Without an authority nothing is made")
  func missing() throws {
    let failure = #expect(throws: CommandFailure.self) { try run(["-o", temporary.path("out")]) }
    #expect(failure?.status == .badInput)
    #expect(!fileExists(temporary.path("ca")))
    #expect(!fileExists(temporary.path("out")))
  }
}
