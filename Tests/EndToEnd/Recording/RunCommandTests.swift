import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct RunCommand {
    /// Runs `tapeline run` with `script` for the shell; the origin's URL is its `$0`.
    private static func run(
      _ script: String, origin: ScriptedOrigin, in directory: TemporaryDirectory, input: [UInt8] = []
    ) throws -> TestProcess {
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", directory.path("a.har"), "--", "sh", "-c", script, origin.url()], input: input)
      try run.wait()
      return run
    }

    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "the answer")])])
    }

    @Test func exitsAsItsChildDid() throws {
      let directory = try TemporaryDirectory()
      let run = try Self.run("curl -s $0; exit 7", origin: Self.answering(), in: directory)
      #expect(run.exitStatus == .exited(7))
      #expect(run.outputText == "the answer", "stdout is the child's")
      let log = try RecordedLog(contentsOf: directory.path("a.har"))
      #expect(log.entries.map(\.contentText) == ["the answer"])
      #expect(violations(in: log) == [])
      try HARValidators.expectAccepted(log.path)
    }

    @Test func reportsTheSignalThatKilledItsChild() throws {
      let run = try Self.run("kill -TERM $$", origin: Self.answering(), in: TemporaryDirectory())
      #expect(run.exitStatus == .exited(128 + 15))
    }

    @Test func standardInputIsTheChilds() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: $0.body) }])])
      let body = Array("from standard input".utf8)
      let run = try Self.run("curl -sT - $0", origin: origin, in: TemporaryDirectory(), input: body)
      #expect(run.standardOutput == body)
    }

    @Test func aLogOfFailuresIsStillValid() throws {
      let directory = try TemporaryDirectory()
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"), .close])
      ])
      let run = try Self.run(
        "curl -s http://127.0.0.1:1/; curl -s http://nowhere.invalid/; curl -s --max-time 5 $0; true", origin: origin,
        in: directory)
      #expect(run.exitStatus == .exited(0))
      let log = try RecordedLog(contentsOf: directory.path("a.har"))
      #expect(log.entries.count == 3)
      #expect(log.entries.allSatisfy { $0.error != nil })
      #expect(violations(in: log) == [])
      try HARValidators.expectAccepted(log.path)
    }

    @Test func saysInOneLineWhatItSaw() throws {
      let directory = try TemporaryDirectory()
      let run = try Self.run("curl -s $0", origin: Self.answering(), in: directory)
      let lines = run.errorText.split(separator: "\n")
      #expect(lines.last?.hasPrefix("tapeline: ") == true)
      #expect(lines.last?.contains("a.har") == true)
    }

    @Test func aCommandThatIsNotThere() throws {
      let directory = try TemporaryDirectory()
      let run = try TestProcess(TapelineProcess.binary, ["run", "-o", directory.path("a.har"), "--", "/no/such/program"])
      #expect(try run.wait() != .exited(0))
      #expect(run.errorText.contains("/no/such/program"))
    }
  }
}
