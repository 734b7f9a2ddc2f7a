import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd.Redaction {
  /// The ways by which what was said comes out again: files of bodies, snapshots, rotation, a kill, `status`, `/metrics`,
  /// `redact`.
  @Suite struct Ways {
    private static let secret = "q8Zk4Lw0Xys3cr3tV7"
    /// `secret` within base64.
    private static let encoded = "cThaazRMdzBYeXMzY3IzdFY3"

    /// Repeats what it is told in clear and in base64, beside a secret of its own.
    private static func origin() throws -> ScriptedOrigin {
      let body = #"{"you":"\#(secret)","basic":"\#(encoded)","password":"\#(secret)","n":{"secret":[-12345.5]}}"#
      return try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: application/json", "X-Echo: \(secret)"], body: body)])
      ])
    }

    private static func expectNoSecret(in text: String, sourceLocation: SourceLocation = #_sourceLocation) {
      for spelling in [secret, encoded, "12345.5"] {
        #expect(!text.contains(spelling), "\(text.prefix(2_000))", sourceLocation: sourceLocation)
      }
    }

    private static func contents(of directory: String) throws -> String {
      let listing = try TestProcess("sh", ["-c", "cat \"$0\"/*", directory])
      #expect(try listing.wait().isSuccess)
      return listing.outputText
    }

    @Test func everyFileAndAnswerOfARecording() throws {
      let directory = try TemporaryDirectory()
      let origin = try Self.origin()
      let script = try directory.write(
        """
        curl -sS -H "Authorization: Bearer \(Self.secret)" "$3one?token=\(Self.secret)"
        "$2" status --json >"$4/status"
        "$2" status >>"$4/status"
        "$2" mark "log in --proxy-user=bob:\(Self.secret)"
        "$2" snapshot -o "$4/snapshot.har"
        "$2" rotate
        curl -sS -H "Cookie: sid=\(Self.secret)" "$3two"
        curl -sS --noproxy '*' "$http_proxy/metrics" >"$4/metrics"
        """, to: "script")
      let out = directory.path("out")
      _ = try TestProcess("mkdir", [out]).wait()
      let run = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "-o", "\(out)/capture.har", "--bodies-dir", "\(out)/bodies", "--debug-log", "\(out)/debug", "--ca-dir",
          directory.path("ca"), "--", "sh", "-e", script, "--oauth2-bearer=\(Self.secret)", try TapelineProcess.binary,
          origin.url(),
          out,
        ])
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      Self.expectNoSecret(in: run.errorText)
      let files = try TestProcess("sh", ["-c", "cat \"$0\"/* \"$0\"/bodies/* 2>/dev/null; true", out])
      try files.wait()
      Self.expectNoSecret(in: files.outputText)
      #expect(files.outputText.contains("--oauth2-bearer=SENSITIVE_"))
      #expect(files.outputText.contains("--proxy-user=bob:SENSITIVE_"))
      #expect(try readText("\(out)/status").contains("SENSITIVE_"))
      for log in ["capture.har", "capture-001.har", "snapshot.har"] { try HARValidators.expectAccepted("\(out)/\(log)") }
    }

    @Test func aKillLeavesNone() throws {
      let origin = try Self.origin()
      let proxy = try TapelineProcess()
      _ = try proxy.curl(["-H", "Authorization: Bearer \(Self.secret)", origin.url("/a")])
      #expect(try proxy.control(["wait", "--quiet", "10ms"]).exitStatus == .exited(0))
      proxy.process.signal(ProcessSignal.kill)
      _ = try proxy.process.wait()
      Self.expectNoSecret(in: try readText(proxy.harPath))
      try HARValidators.expectAccepted(proxy.harPath)
    }

    @Test(arguments: [true, false])
    func redactedLaterWithBodiesInFiles(again: Bool) throws {
      let directory = try TemporaryDirectory()
      let bodies = directory.path("bodies")
      let origin = try Self.origin()
      let recording = try recording(["--no-redact", "--bodies-dir", bodies]) { proxy in
        _ = try proxy.curl(["-u", "bob:\(Self.secret)", "-d", "password=\(Self.secret)", origin.url("/a")])
      }
      #expect(try Self.contents(of: bodies).contains(Self.secret))
      let output = directory.path("clean.har")
      let redact = try TestProcess(
        TapelineProcess.binary,
        ["redact", recording.log.path, "-o", output] + (again ? ["--bodies-dir", directory.path("clean")] : []))
      #expect(try redact.wait().isSuccess, "\(redact.errorText)")
      #expect(!redact.errorText.contains(" 0 secrets") && !redact.errorText.contains("not looked into"), "\(redact.errorText)")
      let text = try readText(output)
      Self.expectNoSecret(in: text)
      #expect(text.contains("_file") == again)
      if again { Self.expectNoSecret(in: try Self.contents(of: directory.path("clean"))) }
      try HARValidators.expectAccepted(output)
    }

    /// What once took minutes: everything else is recorded meanwhile, and the end comes when it is asked for.
    @Test func noMessageHoldsUpTheRecording() throws {
      let directory = try TemporaryDirectory()
      let body = try directory.write(String(repeating: "&", count: 1 << 20), to: "body")
      let location = "Location: /?" + String(repeating: "&", count: 60_000)
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond("302 Found", fields: [location], body: "x")])
      ])
      let proxy = try TapelineProcess(["--max-body", "2MiB"])
      for path in ["/one", "/two"] {
        let curl = try proxy.curl(["-o", "/dev/null", "--data-binary", "@\(body)", origin.url(path)])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
      }
      proxy.process.signal(ProcessSignal.terminate)
      #expect(try proxy.process.wait(seconds: 10) == .exited(0))
      #expect(try RecordedLog(contentsOf: proxy.harPath).entries.count == 2)
      try HARValidators.expectAccepted(proxy.harPath)
    }
  }
}
