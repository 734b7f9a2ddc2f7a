@testable import TapelineOffline
import TapelineHAR
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("Recovery")
struct RecoveryTests {
  private let torn = #"{"log":{"version":"1.2","creator":{"name":"t","version":"1"},"entries":[\#n{"time":1},\#n{"time":2"#

  private func recover(_ log: String, inPlace: Bool = false) throws {
    try Recovery(of: log, to: nil, inPlace: inPlace, replacing: false).run()
  }

  @Test("The default name is derived from the log's name")
  func names() {
    #expect(Recovery.recoveredName("a.har") == "a.recovered.har")
    #expect(Recovery.recoveredName("/x.y/a") == "/x.y/a.recovered.har")
    #expect(Recovery.recoveredName("/x/.har") == "/x/.har.recovered.har")
    #expect(Recovery.recoveredName("a.har.gz") == "a.recovered.har")
    #expect(Recovery.recoveredName("a.b.har") == "a.b.recovered.har")
  }

  @Test("A torn log keeps its name, and the recovered log goes beside it")
  func beside() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(torn, to: "in.har")
    try recover(log)
    #expect(try readText(log) == torn)
    #expect(try HARLog(json: Array(readText(Recovery.recoveredName(log)).utf8)).entries.map(\.time) == [1])
    let failure = #expect(throws: CommandFailure.self) { try recover(log) }
    #expect(failure?.status == .cannotCreate)
  }

  @Test("Recovery in place renames the torn log")
  func inPlace() throws {
    let files = try TemporaryDirectory()
    let log = try files.write(torn, to: "in.har")
    try recover(log, inPlace: true)
    #expect(try HARLog(json: Array(readText(log).utf8)).entries.count == 1)
    #expect(try readText("\(log).damaged") == torn)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har", "in.har.damaged"])
  }

  @Test("An unnecessary or failed recovery leaves no file behind")
  func leavesNothing() throws {
    let files = try TemporaryDirectory()
    let whole = try files.write(#"{"log":{"entries":[{}]}}"#, to: "in.har")
    try recover(whole, inPlace: true)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har"])
    let nothing = try files.write("hello", to: "in.har")
    let failure = #expect(throws: CommandFailure.self) { try recover(nothing) }
    #expect(failure?.status == .badInput)
    #expect(Directory.namesIfReadable(in: files.path).sorted() == ["in.har"])
  }

  @Test("The summary says how much was cut")
  func summary() {
    let damage = HARReadError(kind: .unexpectedEnd, offset: 9)
    #expect(
      Recovery.summary("a", .init(entries: 2, damage: damage, lost: 1, missingPages: 1))
        == "a: 2 entries saved; the text ends in the middle of a value at byte 9; 1 byte belongs to nothing whole; 1 page made up"
    )
  }
}
