import ArgumentParser
import TapelineTLS
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("ca create")
struct CACreateCommandTests {
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
