import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Traces that the installed curl writes, as HARs.
  @Suite struct CurlImports {
    private static func tapeline(_ arguments: [String], input: [UInt8] = []) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, ["import"] + arguments, input: input)
      try process.wait(seconds: 60)
      return process
    }

    /// A HAR that was imported, and is valid for us and for others.
    private static func imported(_ trace: String, _ options: [String] = [], in directory: TemporaryDirectory) throws
      -> RecordedLog
    {
      let output = directory.path("out-\(UInt64.random(in: 0 ... .max)).har")
      let process = try tapeline(["curl", trace, "-o", output] + options)
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
      let log = try RecordedLog(contentsOf: output)
      #expect(violations(in: log).isEmpty, "\(violations(in: log))")
      #expect(try fileMode(output) & 0o777 == 0o600)
      return log
    }

    private static func curl(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess("curl", ["-sS", "--noproxy", "*", "--trace-time"] + arguments)
      try process.wait(seconds: 60)
      return process
    }

    private static func origin() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .expectRequest, .respond("302 Found", fields: ["Location: /second"]), .expectRequest,
          .send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: s=hunter2hunter2\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "6\r\nhello\n\r\n5\r\nworld\r\n0\r\n\r\n"),
          .expectRequest, .respond(body: "posted"),
        ])
      ])
    }

    @Test(arguments: ["--trace", "--trace-ascii", "-v"]) func readsRedirectsReuseAndBodies(option: String) throws {
      let directory = try TemporaryDirectory()
      let origin = try Self.origin()
      let trace = directory.path("trace.txt")
      let options = option == "-v" ? ["-v", "--stderr", trace] : [option, trace]
      let process = try Self.curl(
        options + ["-L", origin.url("/first?token=abcdefgh12345678"), "-o", directory.path("a"), "--next", "--noproxy", "*"]
          + ["-sS", "-d", "a=1&b=2", origin.url("/post"), "-o", directory.path("b")] + (option == "-v" ? ["-v"] : []))
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
      let log = try Self.imported(trace, in: directory)
      #expect(log.entries.map(\.method) == ["GET", "GET", "POST"])
      #expect(log.entries.map(\.status) == [302, 200, 200])
      #expect(log.entries[0].url.hasPrefix(origin.url("/first?token=SENSITIVE_")))
      #expect(log.entries[1].url == origin.url("/second"))
      #expect(log.entries[0].phase("connect") >= 0 && log.entries[0].phase("dns") == -1)
      #expect(log.entries[1].phase("connect") == -1)
      #expect(log.entries[0].connectionID == log.entries[1].connectionID)
      #expect(log.entries[0].connection == "\(origin.port)")
      switch option {
      case "-v":
        #expect(log.entries[1].responseBodySize == -1 && log.entries[1].contentText == nil)
        #expect(log.entries[2].responseBodySize == 6 && log.entries[2].requestBodySize == 7)
      case "--trace":
        #expect(log.entries[1].contentText == "hello\nworld" && log.entries[1].responseBodySize == 11)
        #expect(log.entries[2].postText == "a=1&b=2" && log.entries[2].contentText == "posted")
        try HARValidators.expectAccepted(log.path)
      default:
        #expect(log.entries[1].contentText == "hello.world" && log.entries[1].responseBodySize == 11)
        #expect(log.entries[1].tree["comment"]?.string?.contains("dot") == true)
      }
      #expect(!(try readText(log.path)).contains("hunter2"))
    }

    @Test func readsHTTP2OverTLS() throws {
      let directory = try TemporaryDirectory()
      let authority = try TestAuthority()
      let server = try NghttpServer(identity: try authority.issue())
      try server.serve(Array("secure".utf8), as: "a")
      try server.serve(Array("again".utf8), as: "b")
      let trace = directory.path("trace.txt")
      let process = try Self.curl(
        ["--trace", trace, "--cacert", authority.certificate, server.url("/a"), "-o", directory.path("a")]
          + [server.url("/b"), "-o", directory.path("b")])
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
      let log = try Self.imported(trace, in: directory)
      #expect(log.entries.map(\.url) == [server.url("/a"), server.url("/b")])
      #expect(log.entries.map(\.contentText) == ["secure", "again"])
      #expect(log.entries.allSatisfy { $0.request?["httpVersion"]?.string == "HTTP/2" })
      #expect(log.entries[0].phase("ssl") > 0 && log.entries[1].phase("ssl") == -1)
      #expect(log.entries[0].tree["_tls"]?["alpn"]?.string == "h2")
      #expect(log.entries[1].tree["_http2"]?["streamId"]?.integer == 3)
    }

    @Test func failuresAreEntries() throws {
      let directory = try TemporaryDirectory()
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"), .close])
      ])
      let trace = directory.path("trace.txt")
      _ = try Self.curl([
        "--trace", trace, "http://127.0.0.1:1/", origin.url("/cut"), "http://name.invalid/", "-o", "/dev/null",
      ])
      let entries = try Self.imported(trace, in: directory).entries
      #expect(entries.map { $0.error?["kind"]?.string } == ["refused", "closed", "name-not-found"])
      #expect(entries.map { $0.error?["phase"]?.string } == ["connect", "receive", "dns"])
    }

    @Test func theDateIsThatOfTheFileOrOfTheOption() throws {
      let directory = try TemporaryDirectory()
      let text = """
        23:59:59.000000 *   Trying 192.0.2.1:80...
        23:59:59.500000 * Connected to a.test (192.0.2.1) port 80 (#0)
        23:59:59.600000 > GET / HTTP/1.1
        23:59:59.600000 > Host: a.test
        23:59:59.600000 > 
        00:00:00.100000 < HTTP/1.1 204 No Content
        00:00:00.100000 < 
        00:00:00.200000 * Connection #0 to host a.test left intact

        """
      let trace = try directory.write(text, to: "trace.txt")
      let touched = try TestProcess("touch", ["-d", "2025-03-01T00:00:05Z", trace]).wait()
      #expect(touched == .exited(0))
      for (options, start) in [([], "2025-02-28T23:59:59.000000Z"), (["--date", "2024-12-31"], "2024-12-31T23:59:59.000000Z")] {
        let output = directory.path("\(options.count).har")
        let process = try TestProcess(
          TapelineProcess.binary, ["import", "curl", trace, "-o", output] + options, environment: ["TZ": "UTC"])
        #expect(try process.wait() == .exited(0))
        let entry = try RecordedLog(contentsOf: output).entries[0]
        #expect(entry.tree["startedDateTime"]?.string == start)
        #expect(entry.phase("wait") == 500)
      }
    }

    @Test func badInputIsSaid() throws {
      let directory = try TemporaryDirectory()
      let timeless = try directory.write("* Trying 127.0.0.1:80...\n> GET / HTTP/1.1\n> \n", to: "timeless.txt")
      let foreign = try directory.write("{}\n", to: "foreign.txt")
      for (file, words) in [(timeless, "--trace-time"), (foreign, "no trace of curl"), (directory.path("none"), "No such file")] {
        let process = try Self.tapeline(["curl", file, "-o", directory.path("out.har")])
        #expect(process.exitStatus == .exited(65), "\(process.errorText)")
        #expect(process.errorText.contains(words), "\(process.errorText)")
        #expect(!fileExists(directory.path("out.har")))
      }
      #expect(try Self.tapeline(["curl", foreign, "--date", "today"]).exitStatus == .exited(64))
      let existing = try directory.write("x", to: "existing.har")
      let har = "\(repositoryRoot)/Tests/Fixtures/import/chrome.har"
      #expect(try Self.tapeline(["har", har, "-o", existing]).exitStatus == .exited(73))
      #expect(try Self.tapeline(["har", har, "-o", existing, "--force"]).exitStatus == .exited(0))
      let piped = try Self.tapeline(["har", "-", "-o", "-"], input: readFile(har))
      #expect(piped.exitStatus == .exited(0) && piped.outputText.hasPrefix(#"{"log":{"version":"1.2""#))
      #expect(piped.errorText.contains("pseudo-field: repaired 2 times"), "\(piped.errorText)")
    }
  }
}
