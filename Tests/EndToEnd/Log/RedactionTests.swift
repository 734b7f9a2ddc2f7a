import TapelineTestSupport
import Testing

extension EndToEnd {
  /// No secret reaches the disk, the debug log or the terminal, whatever it was carried in.
  @Suite struct Redaction {
    /// A secret that no other place has: each is looked for, byte by byte, in everything that was written.
    private static func secret(_ number: Int) -> String { "s3cr3t-\(number)-q8Zk4Lw0Xy" }

    private static let token =
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzM2NyM3QtMjAtcThaazRMdzBYeSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"

    private static func answer(_ request: RawMessage) -> [UInt8] {
      if request.startLine.contains("/redirect") {
        return .response("302 Found", fields: ["Location: /next?access_token=\(secret(9))"], body: [])
      }
      let body = """
        {"user": "x", "password": "\(secret(10))", "nested": [{"client_secret": "\(secret(11))"}], "jwt": "\(token)",
         "note": "Authorization: Bearer \(secret(12))", "aws": "AKIAIOSFODNN7EXAMPLE"}
        """
      let fields = [
        "Content-Type: application/json", "Set-Cookie: session=\(secret(13)); Path=/; HttpOnly", "X-Api-Key: \(secret(14))",
      ]
      return .response(fields: fields, body: Array(body.utf8))
    }

    private static func requests(_ origin: ScriptedOrigin, through proxy: TapelineProcess) throws {
      let host = origin.authority
      let calls: [[String]] = [
        ["-H", "Authorization: Bearer \(secret(1))", "-H", "Cookie: session=\(secret(2)); theme=dark", origin.url("/headers")],
        [origin.url("/query?api_key=\(secret(3))&page=7")],
        ["http://user:\(secret(4))@\(host)/userinfo"],
        ["-d", "password=\(secret(5))&name=public-name", origin.url("/form")],
        ["-F", "token=\(secret(6))", "-F", "note=public-note", origin.url("/multipart")],
        ["-H", "Content-Type: application/json", "-d", "{\"refresh_token\": \"\(secret(7))\"}", origin.url("/json")],
        ["-H", "Referer: http://\(host)/from?secret=\(secret(8))", origin.url("/redirect")],
        ["--proxy-header", "Proxy-Authorization: Basic \(secret(15))", origin.url("/proxy")],
        ["-H", "X-Auth-Token: \(secret(16))", "-H", "Authorization: Basic dXNlcjpzM2NyM3QtMTct", origin.url("/basic")],
      ]
      for call in calls {
        #expect(try proxy.curl(call).exitStatus == .exited(0))
      }
    }

    private static func capture(
      _ options: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (recording: Recording, everything: String) {
      let origin = try ScriptedOrigin([.forever([.answer { answer($0) }])])
      let recording = try recording(["--debug-log", "-", "--verbose"] + options, sourceLocation: sourceLocation) { proxy in
        try requests(origin, through: proxy)
      }
      try HARValidators.expectAccepted(recording.log.path, sourceLocation: sourceLocation)
      let process = recording.proxy.process
      return (recording, try readText(recording.log.path) + process.outputText + process.errorText)
    }

    @Test func noSecretIsWritten() throws {
      let (recording, everything) = try Self.capture([])
      for number in 1...16 {
        #expect(!everything.contains(Self.secret(number)), "secret \(number)")
      }
      #expect(!everything.contains(Self.token))
      #expect(!everything.contains("dXNlcjpzM2NyM3QtMTct"))
      #expect(!everything.contains("AKIAIOSFODNN7EXAMPLE"))
      for harmless in ["public-name", "public-note", "theme", "page=7"] {
        #expect(everything.contains(harmless), "\(harmless)")
      }
      #expect(recording.entries.allSatisfy { ($0.tree["_redacted"]?.integer ?? 0) > 0 })
      // The same secret has the same stand-in wherever it is.
      let stand = recording.entries.compactMap {
        $0.response?["cookies"]?.elements.first?["value"]?.string
      }
      #expect(stand.count > 1 && Set(stand).count == 1)
    }

    @Test func everythingIsWrittenWhenAskedTo() throws {
      let (_, everything) = try Self.capture(["--no-redact"])
      // What a URL's userinfo holds is sent as `Authorization: Basic`.
      for number in 1...16 where number != 4 {
        #expect(everything.contains(Self.secret(number)), "secret \(number)")
      }
    }

    @Test func rulesOfAFileAreAdded() throws {
      let directory = try TemporaryDirectory()
      let rules = try directory.write(
        """
        # our own
        header X-Customer
        name ticket*
        pattern ORD-([0-9]{6})
        """, to: "rules")
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "for ORD-123456")])
      ])
      let recording = try recording(["--redact", rules]) { proxy in
        _ = try proxy.curl(["-H", "X-Customer: Jane-Doe-77", "-d", "ticket_number=T-4711", origin.url("/own")])
      }
      let text = try readText(recording.log.path)
      for secret in ["Jane-Doe-77", "T-4711", "ORD-123456", "123456"] {
        #expect(!text.contains(secret), "\(secret)")
      }
    }

    @Test func aRuleThatCannotBeReadIsRefused() throws {
      let directory = try TemporaryDirectory()
      let rules = try directory.write("header X-Ok\npattern ([\n", to: "rules")
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", directory.path("a.har"), "--redact", rules, "--", "true"])
      #expect(try run.wait() != .exited(0))
      #expect(run.errorText.contains("line 2"))
      #expect(!fileExists(directory.path("a.har")))
    }

    /// PyPI's `har-capture` looks for secrets by rules of its own.
    @Test(arguments: [true, false])
    func aScannerAgrees(redacts: Bool) throws {
      let (recording, _) = try Self.capture(redacts ? [] : ["--no-redact"])
      let scan = try TestProcess(
        pythonInterpreter(), ["-m", "har_capture", "validate", recording.log.path, "--patterns", "base"])
      #expect(try scan.wait().isSuccess == redacts, "\(scan.outputText)\(scan.errorText)")
    }
  }
}
