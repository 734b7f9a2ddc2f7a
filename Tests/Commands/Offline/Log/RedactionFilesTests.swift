@testable import TapelineOffline
import TapelineTestSupport
import Testing

@Suite("Redaction files")
struct RedactionFilesTests {
  @Test("Rule files are read one after the other")
  func reading() throws {
    let directory = try TemporaryDirectory()
    let first = try directory.write("# ours\nheader X-Ticket", to: "first")
    let second = try directory.write("name *ticket*\npattern T-[0-9]+\n", to: "second")
    #expect(throws: Never.self) { try RedactionFiles.rules([first, second]) }
    #expect(throws: Never.self) { try RedactionFiles.rules([]) }
  }

  @Test("A bad line and a missing file are reported with the file's name and the status of bad input")
  func errors() throws {
    let directory = try TemporaryDirectory()
    let good = try directory.write("header X-Ticket\n", to: "good")
    let bad = try directory.write("bad line\n", to: "bad")
    for path in [bad, directory.path("missing")] {
      let error = #expect(throws: CommandFailure.self) { try RedactionFiles.rules([good, path]) }
      #expect(error?.status == .badInput)
      #expect(error?.what == "--redact \(path)")
    }
    let error = #expect(throws: CommandFailure.self) { try RedactionFiles.rules([good, bad]) }
    #expect(error?.why.contains("line 1") == true)
  }
}
