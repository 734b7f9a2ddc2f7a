import ArgumentParser
import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import Testing

@testable import tapeline

@Suite("recover")
struct RecoverCommandTests {
  private let torn = #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[\#n{"time":1},\#n{"time":2"#

  private func run(_ arguments: [String]) throws {
    var command = try #require(try Tapeline.parseAsRoot(["recover"] + arguments) as? RecoverCommand)
    try command.run()
  }

  @Test("The name that is taken when none is given")
  func names() {
    #expect(RecoverCommand.recoveredName("a.har") == "a.recovered.har")
    #expect(RecoverCommand.recoveredName("/x.y/a") == "/x.y/a.recovered.har")
    #expect(RecoverCommand.recoveredName("/x/.har") == "/x/.har.recovered.har")
    #expect(RecoverCommand.recoveredName("a.har.gz") == "a.recovered.har")
    #expect(RecoverCommand.recoveredName("a.b.har") == "a.b.recovered.har")
  }

  @Test(
    "What cannot be meant is a usage error",
    arguments: [["recover"], ["recover", "a", "-o", "b", "--in-place"], ["recover", "-"]])
  func usage(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try Tapeline.parseAsRoot(arguments) }
    #expect(error.map { Tapeline.exitCode(for: $0).rawValue } == ExitStatus.usage.rawValue)
  }

  @Test("A torn log keeps its name, and what is whole goes beside it")
  func beside() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(torn, to: "in.har")
    try run([log])
    #expect(try readText(log) == torn)
    #expect(try HARLog(json: Array(readText(RecoverCommand.recoveredName(log)).utf8)).entries.map(\.time) == [1])
    let failure = #expect(throws: CommandFailure.self) { try run([log]) }
    #expect(failure?.status == .cannotCreate)
  }

  @Test("In place, the torn log gets another name")
  func inPlace() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(torn, to: "in.har")
    try run([log, "--in-place"])
    #expect(try HARLog(json: Array(readText(log).utf8)).entries.count == 1)
    #expect(try readText("\(log).damaged") == torn)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har", "in.har.damaged"])
  }

  @Test("Nothing is left of what was not needed, or could not be done")
  func leavesNothing() throws {
    let files = try TemporaryDirectory()
    let whole = try files.write(#"{"log":{"entries":[{}]}}"#, to: "in.har")
    try run([whole, "--in-place"])
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har"])
    let nothing = try files.write("hello", to: "in.har")
    let failure = #expect(throws: CommandFailure.self) { try run([nothing]) }
    #expect(failure?.status == .badInput)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har"])
  }

  @Test("The summary says what was cut")
  func summary() {
    let damage = HARReadError(kind: .unexpectedEnd, offset: 9)
    #expect(
      RecoverCommand.summary("a", .init(entries: 2, damage: damage, lost: 1, missingPages: 1))
        == "a: 2 entries saved; the text ends in the middle of a value at byte 9; 1 byte belongs to nothing whole; 1 page made up"
    )
  }
}
