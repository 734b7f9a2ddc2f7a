import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What `mark` has named is found by that name.
  @Suite struct PageTitleUses {
    private static func tapeline(_ arguments: [String], input: String? = nil) throws -> TestProcess {
      let process = try TestProcess(
        TapelineProcess.binary, arguments, environment: ["COLUMNS": "120"], input: Array((input ?? "").utf8))
      try process.wait(seconds: 60)
      return process
    }

    private static func output(_ arguments: [String]) throws -> String {
      let process = try tapeline(arguments)
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
      return process.outputText
    }

    private static let session = "\(repositoryRoot)/Tests/Fixtures/har/browser-session.har"
    private static let title = "https://www.lamps.example/lamps"

    @Test("In queries and columns, and as what rows are sorted by")
    func list() throws {
      let list = ["list", Self.session, "--csv", "--columns", "number,page,pageref", "--filter"]
      let byTitle = try Self.output(list + ["page == \"\(Self.title)\""])
      #expect(byTitle.split(separator: "\r\n").count == 23)
      #expect(byTitle.split(separator: "\r\n").dropFirst().allSatisfy { $0.hasSuffix(",\(Self.title),page_3") })
      #expect(try Self.output(list + ["page == \"page_3\""]) == byTitle)
      #expect(try Self.output(list + ["pageref == \"page_3\""]) == byTitle)
      #expect(
        try Self.output(["list", Self.session, "--json", "--columns", "page", "--sort", "page:desc", "--limit", "1"]).contains(
          Self.title))
    }

    @Test("From a pipe, in which the pages come last")
    func pipe() throws {
      let arguments = ["list", "-", "--csv", "--columns", "number,page", "--filter", "page == \"\(Self.title)\""]
      let list = try Self.tapeline(arguments, input: try readText(Self.session))
      #expect(list.outputText.split(separator: "\r\n").count == 23, "\(list.errorText)")
    }

    @Test("In figures, rules, drawings and in what is shown of an exchange")
    func others() throws {
      #expect(try Self.output(["stats", Self.session, "--by", "page"]).contains("\n\(Self.title)"))
      #expect(try Self.output(["assert", Self.session, "count(page == \"\(Self.title)\") == 22"]).contains("1 rule kept"))
      let drawn = try Self.output(["waterfall", Self.session, "--filter", "page == \"\(Self.title)\""])
      #expect(drawn.contains(Self.title) && !drawn.contains("\n   4 "))
      #expect(try Self.output(["show", Self.session, "30"]).contains("\npage      \(Self.title) (page_3)\n"))
      #expect(try Self.output(["convert", Self.session, "--to", "ndjson"]).contains(#""pageref":"page_3""#))
    }

    @Test("A capture of tests with a page for each gives JUnit's report a suite for each")
    func tests() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "fine")])])
      let directory = try TemporaryDirectory()
      func test(_ name: String, _ paths: [String]) throws -> String {
        let urls = paths.map { origin.url($0) }.joined(separator: " ")
        let path = try directory.write("#!/bin/sh\ncurl -sS \(urls) >/dev/null\n", to: name)
        try TestProcess("chmod", ["+x", path]).wait()
        return path
      }
      let tests = [try test("good", ["/a", "/b"]), try test("bad", ["/a", "/forbidden"])]
      let rules = try directory.write("none(path == \"/forbidden\")\nnone(error)\n", to: "rules.txt")
      let run = try TestProcess(
        "\(repositoryRoot)/scripts/examples/capture-tests", [directory.path("tests.har")] + tests,
        environment: ["TAPELINE": try TapelineProcess.binary, "RULES": rules])
      #expect(try run.wait(seconds: 120) == .exited(1), "\(run.errorText)")
      #expect(run.outputText.contains("tests.har: 1 of 2 rules failed"))
      let report = try readText(directory.path("tests.xml"))
      let suites = report.split(separator: "\n").filter { $0.contains("<testsuite ") }.map { $0.drop { $0 == " " } }
      #expect(
        suites
          == tests.map { path in
            "<testsuite name=\"\(path)\" tests=\"2\" failures=\"\(path.hasSuffix("bad") ? 1 : 0)\" errors=\"0\" skipped=\"0\" time=\"0\">"[
              ...]
          })
      #expect(report.contains("/forbidden</failure>"))
    }
  }
}
