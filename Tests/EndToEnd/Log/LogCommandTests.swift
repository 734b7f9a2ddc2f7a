import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The commands that read logs, on logs that were really recorded.
  @Suite struct LogCommands {
    private static func tapeline(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait(seconds: 60)
      return process
    }

    /// A capture with a page for each of `titles` and an exchange in each.
    private static func capture(
      _ titles: [String], options: [String] = [], in directory: TemporaryDirectory, as name: String
    ) throws -> String {
      let origin = try ScriptedOrigin([
        .forever([
          .expectRequest,
          .respond(fields: ["Content-Type: text/plain", "Set-Cookie: session=very-secret-value; Path=/"], body: "the answer"),
        ])
      ])
      let path = directory.path(name)
      let script = titles.map { "$0 mark '\($0)'; curl -sS -o /dev/null '$1\($0)?token=very-secret-value&n=1'" }.joined(
        separator: "; "
      )
      .replacing("'$1", with: "\"$1\"'")
      let run = try tapeline(
        ["run", "-q", "-o", path] + options + ["--", "sh", "-ec", script, TapelineProcess.binary, origin.url()])
      try #require(run.exitStatus == .exited(0), "\(run.errorText)")
      return path
    }

    @Test func lintAcceptsWhatWeWrite() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(["a", "b"], in: directory, as: "a.har")
      for profile in ["devtools", "firefox", "playwright", "mitmproxy"] {
        let lint = try Self.tapeline(["lint", path, "--profile", profile])
        #expect(lint.exitStatus == .exited(0), "\(lint.outputText)\(lint.errorText)")
      }
    }

    /// What others wrote wrongly is found with its place, and repaired so that every validator takes it.
    @Test func lintFindsAndRepairsTheMistakesOfOthers() throws {
      let directory = try TemporaryDirectory()
      let path = try directory.write(
        """
        {"log": {"version": "1.2", "creator": {"name": "other", "version": "1"}, "entries": [
        {"startedDateTime": "2026-01-02T03:04:05.123456789Z", "time": 30,
         "request": {"method": "GET", "url": "http://a.test/with space#part", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
          "queryString": [], "headersSize": -1, "bodySize": 0},
         "response": {"status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [], "content": {},
          "redirectURL": null, "headersSize": -1, "bodySize": -1},
         "cache": {}, "connection": 443,
         "timings": {"blocked": null, "dns": 1, "connect": 5, "ssl": 7, "send": -1, "wait": 10, "receive": 2}}
        ]}}
        """, to: "other.har")
      let lint = try Self.tapeline(["lint", path, "--json"])
      #expect(lint.exitStatus == .exited(1), "\(lint.errorText)")
      for place in [
        "$.log.entries[0].timings.ssl", "$.log.entries[0].timings.send", "$.log.entries[0].response.content",
        "$.log.entries[0].startedDateTime", "$.log.entries[0].connection", "$.log.entries[0].request.url",
      ] {
        #expect(lint.outputText.contains(place), "\(place)")
      }
      for finding in lint.outputText.split(separator: "\n") {
        #expect(try JSONTree(parsing: Array(finding.utf8))["path"]?.string?.hasPrefix("$.log") == true)
      }
      let repaired = directory.path("repaired.har")
      _ = try Self.tapeline(["lint", path, "--fix", "-o", repaired])
      #expect(try Self.tapeline(["lint", repaired]).exitStatus == .exited(0))
      try HARValidators.expectAccepted(repaired)
    }

    @Test func mergeKeepsPagesAndOrder() throws {
      let directory = try TemporaryDirectory()
      let first = try Self.capture(["a", "b"], in: directory, as: "first.har")
      let second = try Self.capture(["c"], in: directory, as: "second.har")
      let merged = directory.path("merged.har")
      let merge = try Self.tapeline(["merge", second, first, "-o", merged])
      try #require(merge.exitStatus == .exited(0), "\(merge.errorText)")
      let log = try RecordedLog(contentsOf: merged)
      #expect(violations(in: log) == [])
      try HARValidators.expectAccepted(merged)
      #expect(log.entries.count == 3)
      let starts = log.entries.compactMap { $0.tree["startedDateTime"]?.string }
      #expect(starts == starts.sorted())
      let pages = log.tree["log"]?["pages"]?.elements ?? []
      #expect(Set(pages.compactMap { $0["id"]?.string }).count == pages.count)
      let titles = pages.compactMap { $0["title"]?.string }
      #expect(["a", "b", "c"].allSatisfy(titles.contains))
      #expect(try Self.tapeline(["merge", first, second, "-o", merged]).exitStatus == .exited(73), "nothing is overwritten")
    }

    @Test func redactTakesOutWhatWasRecorded() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(["a"], options: ["--no-redact"], in: directory, as: "a.har")
      #expect(try readText(path).contains("very-secret-value"))
      let redacted = directory.path("redacted.har")
      let redact = try Self.tapeline(["redact", path, "-o", redacted])
      try #require(redact.exitStatus == .exited(0), "\(redact.errorText)")
      #expect(try !readText(redacted).contains("very-secret-value"))
      #expect(violations(in: try RecordedLog(contentsOf: redacted)) == [])
      try HARValidators.expectAccepted(redacted)
    }

    @Test func convertWritesLinesAndColumns() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(["a", "b"], in: directory, as: "a.har")
      let lines = try Self.tapeline(["convert", path, "--to", "ndjson"])
      let entries = lines.outputText.split(separator: "\n")
      #expect(entries.count == 2)
      let recorded = try RecordedLog(contentsOf: path)
      for (line, entry) in zip(entries, recorded.entries) {
        #expect(try JSONTree(parsing: Array(line.utf8))["startedDateTime"] == entry.tree["startedDateTime"])
      }
      let table = try TestProcess(
        pythonInterpreter(),
        [
          "-c",
          """
          import csv, subprocess, sys
          text = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True).stdout
          rows = list(csv.DictReader(text.splitlines()))
          assert len(rows) == 2 and all(None not in row and None not in row.values() for row in rows), rows
          print(*(row.get('url') or row.get('request.url') for row in rows), sep='\\n')
          """, TapelineProcess.binary, "convert", path, "--to", "csv",
        ])
      #expect(try table.wait().isSuccess, "\(table.errorText)")
      #expect(table.outputText.split(separator: "\n").map(String.init) == recorded.entries.map(\.url))
      let har = directory.path("b.har")
      #expect(try Self.tapeline(["convert", path, "--to", "har", "-o", har]).exitStatus == .exited(0))
      try HARValidators.expectAccepted(har)
    }

    @Test func recoverKeepsWhatIsWhole() throws {
      let directory = try TemporaryDirectory()
      let path = try Self.capture(["a", "b", "c"], in: directory, as: "a.har")
      let bytes = try readFile(path)
      for (number, cut) in [bytes.count - 3, bytes.count * 6 / 10].enumerated() {
        let torn = try directory.write(Array(bytes.prefix(cut)), to: "torn-\(number).har")
        #expect(try Self.tapeline(["list", torn]).exitStatus == .exited(65), "it is damaged")
        let whole = directory.path("whole-\(number).har")
        let recover = try Self.tapeline(["recover", torn, "-o", whole])
        #expect(recover.exitStatus == .exited(0), "\(recover.errorText)")
        let log = try RecordedLog(contentsOf: whole)
        #expect(violations(in: log) == [])
        try HARValidators.expectAccepted(whole)
        // Every entry whose line is whole.
        let entries = String(decoding: bytes.prefix(cut), as: UTF8.self).split(separator: "\n").filter {
          $0.hasPrefix("{\"pageref\"") && ($0.hasSuffix("},") || $0.hasSuffix("}"))
        }
        #expect(log.entries.count >= entries.count)
      }
      let empty = try directory.write(Array(bytes.prefix(100)), to: "empty.har")
      #expect(try Self.tapeline(["recover", empty, "-o", directory.path("b.har")]).exitStatus == .exited(65))
      #expect(!fileExists(directory.path("b.har")), "nothing is saved where nothing is whole")
    }
  }
}
