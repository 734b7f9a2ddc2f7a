import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What a stranger's file costs its reader: a bounded memory, and time in proportion to its size, whatever it has.
  @Suite struct HostileFiles {
    private struct Cost {
      let command: String
      let status: Int
      let peak: Int
      let user: Double

      init(_ tree: JSONTree) throws {
        command = try #require(tree["command"]?.string)
        status = try #require(tree["status"]?.integer)
        peak = try #require(tree["peak"]?.integer)
        user = try #require(tree["user"]?.number)
      }
    }

    private static let mebibyte = 1 << 20
    /// What a command may take, of which the program itself has a third.
    private static let memory = 64 * mebibyte

    /// One for each way of reading: by the reader of exchanges, of whole entries, of elements, twice, anywhere.
    private static let commands: [[String]] = [
      ["list", "@"], ["show", "@", "1"], ["critical", "@"], ["lint", "@"], ["report", "@", "-o", "OUT"],
      ["redact", "@", "-o", "OUT"],
      ["merge", "@", "@", "-o", "OUT"], ["import", "har", "@", "-o", "OUT"],
    ]

    /// What the commands cost for a file of this kind, with so many bytes of text.
    private static func costs(_ commands: [[String]], of kind: String, _ size: Int) throws -> [Cost] {
      let directory = try TemporaryDirectory()
      let program = try TapelineProcess.binary
      let words = commands.enumerated().map { number, words in
        JSONText.array([program] + words.map { $0 == "OUT" ? directory.path("\(number).out") : $0 })
      }
      let run = try TestProcess(
        "python3", ["-B", "\(repositoryRoot)/Tests/Fixtures/import/hostile.py", directory.path, "\(size)", kind],
        input: Array("[\(words.joined(separator: ","))]".utf8))
      try #require(try run.wait(seconds: 900).isSuccess, "\(run.errorText)")
      return try run.outputText.split(separator: "\n").map { try Cost(JSONTree(parsing: Array($0.utf8))) }
    }

    /// Without our own faults, and with a documented status.
    private static func expectBounds(_ costs: [Cost], _ kind: String, memory: Int = memory) {
      for cost in costs {
        #expect([0, 1, 65].contains(cost.status), "\(kind): \(cost)")
        #expect(cost.peak <= memory, "\(kind): \(cost)")
      }
    }

    /// A start takes a part of a second, and the machine may be busy: squares would take sixteen times. So a command that took
    /// little needs no second file.
    private static func expectProportion(_ commands: [[String]], _ kind: String) throws {
      let large = try costs(commands, of: kind, mebibyte / 16)
      expectBounds(large, kind)
      let long = zip(commands, large).filter { $1.user > most(0) }
      guard !long.isEmpty else { return }
      let small = try costs(long.map(\.0), of: kind, mebibyte / 64)
      expectBounds(small, kind)
      for (one, four) in zip(small, long.map(\.1)) { #expect(four.user <= most(one.user), "\(kind): \(one) \(four)") }
    }

    /// Seconds of the processor for four times the file.
    private static func most(_ small: Double) -> Double { 8 * max(small, 0.1) }

    private static let kinds = [
      "entries", "empty-entries", "no-entries", "blanks", "pages", "members", "one-member", "lists", "open-lists", "objects",
      "text",
      "secrets", "escapes", "markup", "events", "base64", "url", "headers", "cookies", "name", "names", "number", "open-text",
      "messages", "chunks",
    ]

    @Test("Four times the file takes four times the time, and no command more than 64 MiB", arguments: kinds)
    func captures(kind: String) throws {
      try Self.expectProportion(Self.commands, kind)
    }

    @Test(
      "A small compressed file costs no more than 64 MiB, whatever it unpacks to",
      arguments: ["blanks", "text", "lists", "names"], ["gz", "zst", "zip"])
    func packed(kind: String, form: String) throws {
      let commands: [[String]] = [["list", "@"], ["show", "@", "1"], ["redact", "@", "-o", "OUT"], ["lint", "@"]]
      Self.expectBounds(try Self.costs(commands, of: "\(kind).\(form)", 16 * Self.mebibyte), "\(kind).\(form)")
    }

    @Test("Traces of curl, too", arguments: ["curl-lines", "curl-requests", "curl-line"])
    func traces(kind: String) throws {
      try Self.expectProportion([["import", "curl", "@", "-o", "OUT"]], kind)
    }
  }
}
