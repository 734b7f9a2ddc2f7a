import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rules, by real clients, in clear and in TLS that is read.
  @Suite struct Rules {
    /// How curl comes: by its options, and in TLS or not.
    enum Way: CaseIterable {
      case clear, secure, secureHTTP2

      var options: [String] { self == .secureHTTP2 ? ["--http2"] : ["--http1.1"] }
    }

    /// What curl makes of an action: its status and its exit status, of which several are right.
    struct Case: Sendable {
      let rule: String
      let status: String
      let exits: Set<Int>
      var headers: [String] = []
    }

    static let cases = [
      Case(rule: "*: status 503 retry-after 7s", status: "503", exits: [0], headers: ["retry-after: 7"]),
      Case(rule: "*: block", status: "403", exits: [0]),
      // Reset, an empty reply, or in HTTP/2 the end of the stream.
      Case(rule: "*: reset", status: "000", exits: [52, 56, 92]),
      Case(rule: "*: block close", status: "000", exits: [52, 56, 92]),
      Case(rule: "*: timeout", status: "000", exits: [28]),
      Case(rule: "*: truncate 3B", status: "200", exits: [18, 92]),
      Case(rule: "*: delay 50ms", status: "200", exits: [0]),
      Case(rule: "*: stall 50ms after 2B", status: "200", exits: [0]),
      Case(rule: "*: rate 100B/s", status: "200", exits: [0]),
      Case(rule: "*: set response X-New: yes", status: "200", exits: [0], headers: ["x-new: yes"]),
      Case(rule: "path == \"/page\": remove response Server", status: "200", exits: [0]),
      Case(rule: "path == \"/other\": status 503", status: "200", exits: [0]),
    ]

    @Test(arguments: Way.allCases)
    func doWhatTheySay(way: Way) throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("the answer".utf8), as: "page")
      let url = way == .clear ? server.url("/page") : server.tlsURL("/page")
      for one in Self.cases {
        let command =
          [
            "curl", "-s", "-D", "-", "-o", "/dev/null", "-m", one.rule.contains("timeout") ? "1" : "30", "-w",
            "code %{http_code}\\n",
          ]
          + way.options + [url]
        let run = try RunRecording(
          trusting: authority, options: ["--rule", one.rule, "--require", "0"],
          ["sh", "-c", "\"$@\"; echo exit $?", "sh"] + command)
        let output = run.process.outputText.lowercased()
        #expect(output.contains("code \(one.status)\n"), "\(way) \(one.rule): \(output)")
        #expect(one.exits.contains { output.hasSuffix("exit \($0)\n") }, "\(way) \(one.rule): \(output)")
        for header in one.headers { #expect(output.contains(header), "\(way) \(one.rule): \(output)") }
        let entry = try run.entry("/page", method: "GET")
        let injected = entry.tree["_injected"]?.elements ?? []
        #expect(injected.count == (one.rule.contains("/other") ? 0 : 1), "\(way) \(one.rule): \(entry.tree)")
        let hasFailed = one.status != "200" || one.rule.contains("truncate")
        #expect((entry.error?["kind"]?.string == "injected") == hasFailed, "\(way) \(one.rule): \(entry.tree)")
        #expect((entry.error?["origin"]?.string == "local") == hasFailed)
        #expect(run.process.errorText.contains("rule 1 (\(one.rule.contains("set ") ? "*: set response X-New" : one.rule))"))
      }
    }

    @Test func aRuleThatMatchesNothingNamesTheNearest() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let recording = try recording(["--rule", #"path == "/b" and method == "PUT": reset"#]) { proxy in
        for path in ["/a", "/b", "/c"] { _ = try proxy.curl(["-o", "/dev/null", origin.url(path)]) }
      }
      #expect(
        recording.proxy.process.errorText.contains("matched nothing; nearest: GET \(origin.url("/b"))"),
        "\(recording.proxy.process.errorText)")
    }

    @Test func rulesOfAFileShareTheSeed() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let rules = try directory.write(
        "# Failures\n\npath like \"/a*\": status 500 30%\n*: set request X-Run: one\n", to: "rules")
      func statuses() throws -> [Int?] {
        try recording(["--rules", rules, "--seed", "7"]) { proxy in
          _ = try proxy.curl((0..<40).flatMap { ["-o", "/dev/null", origin.url("/a\($0)")] })
        }.entries.map { $0.tree["_localStatus"]?.integer }
      }
      let first = try statuses()
      #expect(first == (try statuses()))
      #expect(first.contains(500) && first.contains(nil))
      #expect(origin.requests.allSatisfy { $0.value(of: "X-Run") == "one" })
    }

    @Test func mistakesAreShownAndNothingStarts() throws {
      let directory = try TemporaryDirectory()
      let record = try TestProcess(
        TapelineProcess.binary, ["record", "-o", directory.path("a.har"), "--rule", "status >= 500: delay 1s"])
      #expect(try record.wait() == .exited(64))
      #expect(record.errorText.split(separator: "\n").suffix(2).map(String.init) == ["  status >= 500: delay 1s", "  ^"])
      #expect(!fileExists(directory.path("a.har")))
    }

    @Test func aSecretValueReachesTheServerAndNotTheLog() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: "ok")])])
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", har, "--rule", "*: set request X-Thing: @env:THING", "--", "curl", "-s", origin.url("/a")],
        environment: ["THING": "plover-egg"])
      #expect(try run.wait().isSuccess)
      #expect(origin.requests.first?.value(of: "X-Thing") == "plover-egg")
      let log = String(decoding: try readFile(har), as: UTF8.self)
      #expect(log.contains("set request X-Thing") && !log.contains("plover-egg"))
      let list = try TestProcess(TapelineProcess.binary, ["list", har])
      #expect(try list.wait().isSuccess)
      #expect(list.outputText.contains("~200"), "\(list.outputText)")
      let left = try TestProcess(TapelineProcess.binary, ["list", har, "--json", "--filter", "not injected"])
      #expect(try left.wait().isSuccess && left.outputText.isEmpty)
    }

    /// An event stream and a WebSocket, whose pieces a rule holds or cuts.
    @Test func streamsAreCutAndHeld() throws {
      let events = (1...3).map { "data: event \($0)\n\n" }.joined()
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            request.value(of: "Upgrade") == nil
              ? Array(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: \(events.utf8.count)\r\n\r\n\(events)".utf8
              )
              : Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n".utf8)
                + [0x81, 2, 0x68, 0x69, 0x81, 2, 0x68, 0x6F]
          }
        ])
      ])
      let recording = try recording(["--rule", "*: truncate 8B"]) { proxy in
        let curl = try proxy.curl(["-N", origin.url("/events")])
        #expect(curl.outputText == "data: ev")
        let socket = try proxy.request(
          "GET \(origin.url("/socket")) HTTP/1.1\r\nHost: \(origin.authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
        #expect(try socket.receiveHead().status == 101)
        #expect(try socket.receive(exactly: 8) == [0x81, 2, 0x68, 0x69, 0x81, 2, 0x68, 0x6F])
        socket.close()
      }
      #expect(try recording.entry("/events").error?["kind"]?.string == "injected")
    }

    /// gRPC by grpcio: the call fails by the status that the rule names, and by nothing else.
    @Test func aCallFailsByItsStatus() throws {
      let server = try TestProcess(
        pythonInterpreter(), ["-m", "lab.http2.calls", "serve"], environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"])
      let line = try server.waitForOutputLine(containing: "port ", seconds: 60)
      let port = try #require(Int(line.dropFirst("port ".count)))
      let client = """
        import sys, grpc
        channel = grpc.insecure_channel(f"localhost:{sys.argv[1]}")
        try:
            print(channel.unary_unary("/lab.Calls/Echo")(b"a"))
        except grpc.RpcError as error:
            print(error.code().name, error.details())
        """
      let run = try RunRecording(
        trusting: TestAuthority(), options: ["--rule", "path ~ \"Echo\": grpc RESOURCE_EXHAUSTED"],
        [pythonInterpreter(), "-c", client, "\(port)"], seconds: 120)
      #expect(run.process.outputText == "RESOURCE_EXHAUSTED tapeline: rule 1\n", "\(run.process.errorText)")
      #expect(try run.entry("/lab.Calls/Echo").error?["kind"]?.string == "injected")
    }
  }
}
