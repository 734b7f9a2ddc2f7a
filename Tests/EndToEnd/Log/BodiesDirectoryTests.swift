import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `--bodies-dir` keeps bodies beside the log, each once.
  @Suite struct BodiesDirectory {
    @Test func holdsEachBodyOnce() throws {
      let directory = try TemporaryDirectory()
      let bodies = directory.path("bodies")
      let picture = patternedBytes(5000)
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/text")
              ? .response(fields: ["Content-Type: text/plain"], body: Array("some text".utf8))
              : .response(fields: ["Content-Type: image/png"], body: picture)
          }
        ])
      ])
      let recording = try recording(["--bodies-dir", bodies]) { proxy in
        _ = try proxy.curl([origin.url("/picture?1"), origin.url("/picture?2"), origin.url("/text")])
        _ = try proxy.curl(["--data-binary", "@-", origin.url("/upload")], input: picture)
      }
      try HARValidators.expectAccepted(recording.log.path)

      let files = try [
        recording.entry("?1").response?["content"], recording.entry("?2").response?["content"],
        recording.entry("/upload").request?["postData"],
      ].map { try #require($0?["_file"]?.string) }
      #expect(Set(files).count == 1, "equal bytes, one file")
      let har = recording.log.path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
      let file = files[0].hasPrefix("/") ? files[0] : "\(har)/\(files[0])"
      #expect(try readFile(file) == picture)

      let digest = try TestProcess("sha256sum", [file])
      try digest.wait()
      #expect(file.hasSuffix(String(digest.outputText.prefix(64))), "named after what it holds")
      let modes = try TestProcess("stat", ["-c", "%a", file, bodies])
      try modes.wait()
      #expect(modes.outputText == "600\n700\n")
    }

    /// A capture with its bodies in files: a text, bytes, and what was sent; the origin is gone.
    private static func capture(in directory: TemporaryDirectory) throws -> (har: String, origin: ScriptedOrigin) {
      let origin = try ScriptedOrigin([
        .expectRequest, .respond(fields: ["Content-Type: text/plain; charset=iso-8859-1"], body: "some text"), .expectRequest,
        .respond(fields: ["Content-Type: image/png"], body: "\u{0}bytes"),
      ])
      let har = directory.path("capture.har")
      let run = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "-q", "-o", har, "--bodies-dir", directory.path("bodies"), "--", "curl", "-sS", "-o", "/dev/null",
          origin.url("/a"),
          "--next", "-sS", "-o", "/dev/null", "--data-binary", "sent along", origin.url("/b"),
        ])
      try #require(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      origin.stop()
      return (har, origin)
    }

    private static func tapeline(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait(seconds: 60)
      return process
    }

    @Test func areShownAndSearched() throws {
      let directory = try TemporaryDirectory()
      let (har, _) = try Self.capture(in: directory)
      #expect(try Self.tapeline(["show", har, "1", "--body"]).outputText == "some text")
      #expect(try Self.tapeline(["show", har, "2", "--body"]).standardOutput == Array("\u{0}bytes".utf8))
      #expect(try Self.tapeline(["show", har, "2", "--request-body"]).outputText == "sent along")
      #expect(try Self.tapeline(["show", har, "2", "--curl"]).outputText.contains("sent along"))
      #expect(try Self.tapeline(["show", har, "1"]).outputText.contains("\n  some text\n"))
      #expect(try Self.tapeline(["show", har, "1", "--json"]).outputText.contains("\"_file\""), "as the log has it")
      let listed = try Self.tapeline(["list", har, "--filter", "resp.body ~ \"some t\"", "--columns", "number", "--csv"])
      #expect(listed.outputText.split(whereSeparator: \.isNewline).map(String.init) == ["number", "1"])
      #expect(try Self.tapeline(["assert", har, "count(resp.body ~ \"some t\") == 0"]).exitStatus == .exited(1))
    }

    @Test func areFoundWhereTheyWereMoved() throws {
      let directory = try TemporaryDirectory()
      let (har, _) = try Self.capture(in: directory)
      try TestProcess("mv", [directory.path("bodies"), directory.path("moved")]).wait()
      let lost = try Self.tapeline(["show", har, "1", "--body"])
      #expect(lost.exitStatus == .exited(1) && lost.outputText.isEmpty)
      #expect(lost.errorText.contains("the body is in bodies/"), "\(lost.errorText)")
      #expect(lost.errorText.contains("--bodies-from"), "\(lost.errorText)")
      let found = try Self.tapeline(["show", har, "1", "--body", "--bodies-from", directory.path("moved")])
      #expect(found.outputText == "some text", "\(found.errorText)")
      let report = try Self.tapeline(["report", har, "-o", directory.path("a.html")])
      #expect(report.errorText.contains("3 bodies in files not found; see --bodies-from"), "\(report.errorText)")
    }

    @Test func areInTheReport() throws {
      let directory = try TemporaryDirectory()
      let (har, _) = try Self.capture(in: directory)
      let outcome = try ReportBrowser.visit(
        har,
        [
          .open("#n=1&tab=response"), .text(of: "#panel .text"), .open("#n=2&tab=request"), .text(of: "#panel .text"),
          .open("#n=2&tab=response"),
          .evaluate(
            "[...document.querySelectorAll('#panel .choices button')].at(-1).click(), document.querySelector('#panel .text').textContent"
          ), .open("#q=resp.body+~+%22some+t%22"), .column("number"),
        ])
      #expect(outcome.problems == [])
      #expect(outcome.results[0].string == "some text")
      #expect(outcome.results[1].string == "sent along")
      #expect(outcome.results[2].string?.contains("00 62 79 74 65 73") == true)
      #expect(outcome.results[3].elements == [.string("1")])
      let report = try Self.tapeline(["report", har, "--bodies", "none"])
      #expect(!report.outputText.contains("some text"))
    }

    @Test func answerAndAreSentAgain() throws {
      let directory = try TemporaryDirectory()
      let (har, recorded) = try Self.capture(in: directory)
      let answered = try Self.tapeline(["replay", har, "--", "curl", "-sSi", recorded.url("/a")])
      #expect(answered.outputText.hasSuffix("some text"), "\(answered.errorText)")
      #expect(answered.outputText.contains("charset=utf-8"), "as the file has it")
      #expect(!answered.errorText.contains("with incomplete bodies"), "\(answered.errorText)")
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "")])
      let moved = try directory.write(
        try readText(har).replacing("127.0.0.1:\(recorded.port)", with: "127.0.0.1:\(origin.port)"), to: "moved.har")
      let sent = try Self.tapeline(["replay", moved, "--send", "--only", "method == \"POST\"", "-o", directory.path("again.har")])
      #expect(sent.exitStatus == .exited(0), "\(sent.errorText)")
      #expect(origin.requests.first?.bodyText == "sent along", "\(sent.errorText)")
    }
  }
}
