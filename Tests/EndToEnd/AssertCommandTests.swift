import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rules on logs that were really recorded, through the shell's eyes: output and exit status.
  @Suite struct AssertCommands {
    private static func tapeline(_ arguments: [String], input: [UInt8] = []) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments, input: input)
      try process.wait(seconds: 60)
      return process
    }

    /// Four exchanges.
    private static func capture(in directory: TemporaryDirectory) throws -> String {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(body: "fine")])
      ])
      let path = directory.path("capture.har")
      let urls = (1...4).map { origin.url("/orders/\($0)") }
      let run = try tapeline(["run", "-q", "-o", path, "--", "curl", "-sS"] + urls)
      try #require(run.exitStatus == .exited(0), "\(run.errorText)")
      return path
    }

    @Test func keptRulesEndWithZeroAndBrokenOnesWithOne() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(in: directory)
      let kept = try Self.tapeline(["assert", path, "count() == 4", "p95(wait) < 1m", "none(error)", "all(status == 200)"])
      #expect(kept.exitStatus == .exited(0), "\(kept.outputText)\(kept.errorText)")
      #expect(kept.outputText.hasSuffix("4 rules kept\n"))
      #expect(kept.errorText.isEmpty)
      let broken = try Self.tapeline(["assert", path, "count() == 4", #"none(path like "/orders/3")"#])
      #expect(broken.exitStatus == .exited(1))
      #expect(broken.outputText.contains("#3 GET http://"))
      #expect(broken.outputText.contains("1 of 2 rules failed"))
    }

    @Test func aRuleThatCannotBeUnderstoodIsAUsageErrorWithItsPlace() throws {
      let directory = try TemporaryDirectory()
      let rules = try directory.write("# ours\nnone(error)\np95(wiat) < 200ms\n", to: "rules.txt")
      let file = try Self.tapeline(["assert", "absent.har", "--rules", rules])
      #expect(file.exitStatus == .exited(64))
      #expect(file.errorText.contains("line 3, column 5: unknown field wiat"))
      #expect(file.errorText.hasSuffix("  p95(wiat) < 200ms\n      ^\n"))
      #expect(try Self.tapeline(["assert", "absent.har", "p95(wait)"]).exitStatus == .exited(64))
      #expect(try Self.tapeline(["assert", "absent.har", "none(error)"]).exitStatus == .exited(65))
      #expect(try Self.tapeline(["assert", "absent.har"]).exitStatus == .exited(64))
    }

    @Test func aBaselineIsFoundBesideTheRules() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(in: directory)
      let rules = try directory.write("new paths <= capture.har\np50(wait) <= 100% of capture.har\n", to: "rules.txt")
      let same = try Self.tapeline(["assert", path, "--rules", rules])
      #expect(same.exitStatus == .exited(0), "\(same.outputText)\(same.errorText)")
      let absent = try directory.write("new hosts <= nowhere.har\n", to: "absent.txt")
      #expect(try Self.tapeline(["assert", path, "--rules", absent]).exitStatus == .exited(65))
    }

    @Test func continuousIntegrationReadsTheReports() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(in: directory)
      let rules = try directory.write("count() == 5\nnone(error)\n", to: "rules.txt")
      let junit = try Self.tapeline(["assert", path, "--rules", rules, "--format", "junit"])
      #expect(junit.exitStatus == .exited(1))
      let parsed = try TestProcess(
        "python3",
        [
          "-c",
          """
          import sys, xml.etree.ElementTree as tree
          root = tree.parse(sys.stdin).getroot()
          cases = root.findall('.//testcase')
          print([case.get('name') for case in cases], len(root.findall('.//failure')), cases[0].get('line'))
          """,
        ], input: Array(junit.outputText.utf8))
      #expect(try parsed.wait().isSuccess, "\(parsed.errorText)")
      #expect(parsed.outputText == "['count() == 5', 'none(error)'] 1 1\n")
      let github = try Self.tapeline(["assert", path, "--rules", rules, "--format", "github"])
      #expect(github.outputText.contains(",line=1,title=count() == 5::4 exchanges: 1 too few"))
      let json = try Self.tapeline(["assert", path, "--rules", rules, "--format", "json"])
      #expect(try JSONTree(parsing: Array(json.outputText.utf8))["failed"]?.number == 1)
    }

    @Test func anEmptyCaptureIsNoSuccess() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(in: directory)
      let none = ["--filter", "host == 'nobody.test'"]
      let rule = "count(status >= 500) == 0"
      let text = try Self.tapeline(["assert", path, rule] + none)
      #expect(text.exitStatus == .exited(1))
      #expect(text.outputText.hasPrefix("FAIL  --min-exchanges 1\n      no exchanges that --filter chooses: nothing was checked"))
      for format in ["junit", "github", "json"] {
        let report = try Self.tapeline(["assert", path, rule, "--format", format] + none)
        #expect(report.exitStatus == .exited(1))
        #expect(report.outputText.contains("nothing was checked"), "\(format)")
      }
      #expect(try Self.tapeline(["assert", path, rule, "--allow-empty"] + none).exitStatus == .exited(0))
      #expect(try Self.tapeline(["assert", path, rule, "--min-exchanges", "0"] + none).exitStatus == .exited(0))
      #expect(try Self.tapeline(["assert", path, "--min-exchanges", "4"]).exitStatus == .exited(0), "no rule is needed")
      #expect(try Self.tapeline(["assert", path, rule, "--min-exchanges", "5"]).exitStatus == .exited(1))
      #expect(try Self.tapeline(["assert", path, rule, "--min-exchanges", "1", "--allow-empty"]).exitStatus == .exited(64))
    }

    @Test func standardInputIsACaptureToo() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(in: directory)
      let bytes = try readFile(path)
      #expect(try Self.tapeline(["assert", "-", "count() == 4"], input: bytes).exitStatus == .exited(0))
      #expect(try Self.tapeline(["assert", "-", "new hosts <= '-'"], input: bytes).exitStatus == .exited(64))
    }
  }
}
