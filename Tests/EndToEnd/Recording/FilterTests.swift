import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `record --filter`: all is relayed, what matches is recorded, and the rest is counted.
  @Suite struct Filter {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/missing")
              ? .response("404 Not Found", body: Array("no\n".utf8)) : .response(body: Array("a lamp\n".utf8))
          }
        ])
      ])
    }

    @Test func recordsWhatMatches() throws {
      let origin = try Self.answering()
      let recording = try recording(["--filter", #"status >= 400 or query["id"] == "2""#]) { proxy in
        for path in ["/a", "/missing", "/b?id=2", "/c?id=3"] {
          let curl = try proxy.curl(["-o", "/dev/null", "-w", "%{http_code}", origin.url(path)])
          #expect(curl.outputText == (path == "/missing" ? "404" : "200"))
        }
      }
      #expect(recording.entries.map(\.url) == [origin.url("/missing"), origin.url("/b?id=2")])
      #expect(recording.proxy.process.errorText.contains("4 exchanges"))
      #expect(recording.proxy.process.errorText.contains("2 left out by --filter"))
      #expect(origin.requests.count == 4)
    }

    @Test func seesBodiesAndSaysInItsStatusWhatItLeftOut() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let har = directory.path("capture.har")
      let binary = try TapelineProcess.binary
      let script = "curl -sS $1a >/dev/null; curl -sS $1missing >/dev/null; $0 wait --quiet 20ms; $0 status; $0 status --json"
      let run = try TestProcess(
        binary,
        ["run", "-o", har, "--no-intercept", "--filter", #"resp.body ~ "lamp""#, "--", "sh", "-ec", script, binary, origin.url()])
      #expect(try run.wait().isSuccess, "\(run.errorText)")
      #expect(run.outputText.contains("recorded 1, failed 0, in 1 file, now page_1, 1 left out by --filter"))
      #expect(run.outputText.contains("\"filtered\":1") || run.outputText.contains("\"filtered\": 1"))
      #expect(try RecordedLog(contentsOf: har).entries.map(\.url) == [origin.url("/a")])
    }

    @Test func whatCannotBeUnderstoodIsRefusedAtTheStart() throws {
      let directory = try TemporaryDirectory()
      let record = try TestProcess(
        try TapelineProcess.binary, ["record", "-o", directory.path("a.har"), "--filter", "status >= 5OO"])
      #expect(try record.wait() == .exited(64))
      #expect(
        record.errorText.split(separator: "\n").suffix(2).map(String.init) == ["  status >= 5OO", "             ^"])
      #expect(!fileExists(directory.path("a.har")))
    }
  }
}
