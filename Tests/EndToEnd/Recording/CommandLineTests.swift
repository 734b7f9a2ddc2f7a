import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct CommandLine {
    private static func tapeline(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, arguments)
      try process.wait()
      return process
    }

    @Test func listsAndShowsWhatItRecorded() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["X-Mark: one"], body: "the body")])])
      let recording = try recording { proxy in
        _ = try proxy.curl([origin.url("/first"), origin.url("/second")])
      }
      let list = try Self.tapeline(["list", recording.log.path])
      #expect(list.exitStatus == .exited(0), "\(list.errorText)")
      #expect(list.outputText.contains("/first"))
      #expect(list.outputText.contains("/second"))
      let show = try Self.tapeline(["show", recording.log.path, "2"])
      #expect(show.exitStatus == .exited(0), "\(show.errorText)")
      #expect(show.outputText.contains("/second"))
      #expect(try Self.tapeline(["show", recording.log.path, "2", "--body"]).standardOutput == Array("the body".utf8))
      #expect(try Self.tapeline(["show", recording.log.path, "3"]).exitStatus != .exited(0))
    }

    @Test func theDebugLogTellsEachExchange() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "x")])
      let recording = try recording(["--debug-log", "-"]) { proxy in
        _ = try proxy.curl([origin.url("/debug")])
      }
      for part in ["[Request]", "[Response]", "[Data]", "[Result]", "[Timeline]", "/debug"] {
        #expect(recording.proxy.process.outputText.contains(part), "\(part)")
      }
    }

    @Test func exitStatusesSayWhatWentWrong() throws {
      let directory = try TemporaryDirectory()
      #expect(try Self.tapeline(["record", "--no-such-option"]).exitStatus == .exited(64))
      #expect(try Self.tapeline(["record", "-o", "-"]).exitStatus == .exited(64))
      #expect(try Self.tapeline(["list", directory.write("{", to: "bad.har")]).exitStatus == .exited(65))
      #expect(try Self.tapeline(["list", directory.path("missing.har")]).exitStatus != .exited(0))
      #expect(
        try Self.tapeline(["record", "--listen", "127.0.0.1:0", "-o", "/no/such/directory/a.har"]).exitStatus == .exited(73))
      let taken = try ScriptedOrigin([])
      let busy = try Self.tapeline(["record", "--listen", taken.authority, "-o", directory.path("b.har")])
      #expect(busy.exitStatus == .exited(69))
      #expect(busy.errorText.hasPrefix("tapeline: "))
      #expect(try Self.tapeline(["record", "--listen", "0.0.0.0:0", "-o", directory.path("c.har")]).exitStatus != .exited(0))
    }

    @Test func thePortFileNamesTheAddress() throws {
      let recording = try recording { proxy in
        #expect(try readText(proxy.portFile) == "127.0.0.1:\(proxy.port)\n")
        let environment = try Self.tapeline(["env", "--port-file", proxy.portFile])
        #expect(environment.outputText.contains("export HTTP_PROXY=http://127.0.0.1:\(proxy.port)"))
      }
      #expect(recording.entries.isEmpty)
      try HARValidators.expectAccepted(recording.log.path)
    }

    @Test func secretsAreNotWrittenUnlessAsked() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Set-Cookie: id=cookie-secret"])])])
      let arguments = [
        "-H", "Authorization: Bearer header-secret", "-H", "Cookie: s=sent-secret", origin.url("/?access_token=query-secret"),
      ]
      let hidden = try recording { _ = try $0.curl(arguments) }
      let text = try readText(hidden.log.path)
      for secret in ["cookie-secret", "header-secret", "sent-secret", "query-secret"] {
        #expect(!text.contains(secret), "\(secret)")
      }
      #expect(origin.requests.first?.value(of: "Authorization") == "Bearer header-secret", "only the log hides it")
      let shown = try recording(["--no-redact"]) { _ = try $0.curl(arguments) }
      #expect(try readText(shown.log.path).contains("header-secret"))
    }

    @Test func longBodiesAreCutInTheLogOnly() throws {
      let body = [UInt8](repeating: 97, count: 50_000)
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: body)])])
      let recording = try recording(["--max-body", "1KiB"]) { proxy in
        let curl = try proxy.curl([origin.url("/long")])
        #expect(curl.standardOutput == body)
      }
      let entry = try recording.entry("/long")
      #expect(entry.responseBodySize == 50_000)
      #expect(entry.contentSize == 50_000)
      #expect(entry.contentText?.utf8.count == 1024)
    }
  }
}
