import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A capture answers in place of the network, and its requests are sent again.
  @Suite struct Replay {
    private static func capture(_ origin: ScriptedOrigin, in directory: TemporaryDirectory, _ script: String) throws -> String {
      let har = directory.path("capture.har")
      let run = try TestProcess(TapelineProcess.binary, ["run", "-q", "-o", har, "--", "sh", "-ec", script, "sh", origin.url()])
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      return har
    }

    private static func replay(_ arguments: [String]) throws -> TestProcess {
      let process = try TestProcess(TapelineProcess.binary, ["replay"] + arguments)
      _ = try process.wait(seconds: 60)
      return process
    }

    @Test func answersComeInTheirOrderAndTheLastOneStays() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .respond(fields: ["X-Turn: 1"], body: "one"), .expectRequest, .respond("404 Not Found", body: "two"),
        .expectRequest, .respond(body: "posted"),
      ])
      let directory = try TemporaryDirectory()
      let har = try Self.capture(
        origin, in: directory, "curl -sS $1a http://$(echo $1 | cut -d/ -f3)/a --next -sS -d x=1 $1post")
      origin.stop()
      let script = "curl -sS -D - $1a; curl -sS -w ' %{http_code} ' $1a $1a; curl -sS -d other $1post; curl -sS $1new"
      let process = try Self.replay([har, "--", "sh", "-ec", script, "sh", origin.url()])
      #expect(process.exitStatus == .exited(0), "\(process.errorText)")
      #expect(process.outputText.contains("X-Turn: 1"))
      #expect(process.outputText.contains("one"))
      #expect(process.outputText.contains("two 404 two 404 posted"))
      #expect(process.outputText.contains("tapeline: the capture has no answer to GET \(origin.url("/new"))"))
      #expect(
        process.errorText.contains("4 requests answered") && process.errorText.contains("1 not in it"), "\(process.errorText)")
    }

    @Test("A gRPC client gets the recorded messages, trailers and status")
    func calls() throws {
      let server = try TestProcess(
        pythonInterpreter(), ["-m", "lab.http2.calls", "serve"], environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"])
      let line = try server.waitForOutputLine(containing: "port ", seconds: 60)
      let client = [
        pythonInterpreter(), "-c",
        """
        import sys, grpc
        calls = grpc.insecure_channel(sys.argv[1])
        answer, call = calls.unary_unary("/lab.Calls/Echo").with_call(b"hello", timeout=30)
        print(answer, dict(call.trailing_metadata())["x-size"], list(calls.unary_stream("/lab.Calls/Spread")(b"3", timeout=30)))
        try: calls.unary_unary("/lab.Calls/Refuse")(b"", timeout=30)
        except grpc.RpcError as error: print(error.code().name, error.details())
        """, "localhost:\(line.dropFirst("port ".count))",
      ]
      let directory = try TemporaryDirectory()
      let har = directory.path("calls.har")
      let run = try TestProcess(TapelineProcess.binary, ["run", "-q", "-o", har, "--"] + client)
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      let replay = try Self.replay([har, "--"] + client)
      #expect(replay.outputText == "b'hello' 5 [b'part 0', b'part 1', b'part 2']\nINVALID_ARGUMENT wrong: ä%\n")
      #expect(replay.outputText == run.outputText)
      #expect(replay.errorText.contains("3 requests answered"), "\(replay.errorText)")
    }

    @Test func missesFailWhereTheyAreNotWanted() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .respond(body: "here"), .expectRequest, .respond(body: "from the network"),
      ])
      let directory = try TemporaryDirectory()
      let har = try Self.capture(origin, in: directory, "curl -sS $1a")
      let strict = try Self.replay([har, "--strict-misses", "--", "curl", "-sS", "-o", "/dev/null", origin.url("/b")])
      #expect(strict.exitStatus == .exited(1))
      #expect(strict.errorText.contains("1 request was not in the capture"), "\(strict.errorText)")
      let passed = try Self.replay([har, "--pass-misses", "--", "curl", "-sS", origin.url("/b")])
      #expect(passed.outputText == "here")
      #expect(origin.requests.last?.startLine == "GET /b HTTP/1.1", "the network was asked")
    }

    /// Records `curl` of one file over HTTPS; the server is gone when this returns.
    private static func captureEncrypted(in directory: TemporaryDirectory, to har: String) throws -> String {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("from afar\n".utf8), as: "file.txt")
      let url = server.tlsURL("/file.txt")
      let run = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "-q", "-o", har, "--ca-dir", directory.path("ca"), "--upstream-ca", authority.certificate, "--", "curl", "-sS",
          url,
        ])
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)")
      #expect(run.outputText == "from afar\n")
      return url
    }

    @Test func encryptedExchangesAreAnsweredToo() throws {
      let directory = try TemporaryDirectory()
      let har = directory.path("capture.har")
      let url = try Self.captureEncrypted(in: directory, to: har)
      let replay = try Self.replay([har, "--ca-dir", directory.path("ca"), "--", "curl", "-sS", url])
      #expect(replay.exitStatus == .exited(0), "\(replay.errorText)")
      #expect(replay.outputText == "from afar\n")
    }

    @Test func recordedTimesAreKept() throws {
      let origin = try ScriptedOrigin([.expectRequest, .delay(milliseconds: 300), .respond(body: "slow")])
      let directory = try TemporaryDirectory()
      let har = try Self.capture(origin, in: directory, "curl -sS $1slow")
      origin.stop()
      let again = directory.path("again.har")
      let process = try Self.replay([har, "--timing", "recorded", "-o", again, "--", "curl", "-sS", origin.url("/slow")])
      #expect(process.outputText == "slow")
      let log = try RecordedLog(contentsOf: again)
      #expect(violations(in: log) == [])
      #expect(try #require(log.entries.first).phase("wait") >= 300)
    }

    @Test func requestsAreSentAgainAndCompared() throws {
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            let body = "\(request.startLine) \(String(decoding: request.body, as: UTF8.self))"
            return Array("HTTP/1.1 200 OK\r\nSet-Cookie: new=1\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
          }
        ])
      ])
      let directory = try TemporaryDirectory()
      let har = try Self.capture(origin, in: directory, "curl -sS $1a; curl -sS -d 'x=1' $1post; curl -sS -X GET -d body $1odd")
      let again = directory.path("again.har")
      let sent = try Self.replay([har, "--send", "--parallel", "1", "-o", again])
      #expect(sent.exitStatus == .exited(0), "\(sent.errorText)")
      #expect(sent.errorText.contains("3 requests of"), "\(sent.errorText)")
      let first = try RecordedLog(contentsOf: har)
      let second = try RecordedLog(contentsOf: again)
      #expect(violations(in: second) == [])
      // Sent side by side, they may overtake each other.
      func answers(_ log: RecordedLog) -> [String: String?] {
        Dictionary(log.entries.map { ($0.url, $0.contentText) }, uniquingKeysWith: { first, _ in first })
      }
      #expect(second.entries.count == 3)
      #expect(answers(second) == answers(first))
      #expect(origin.requests.count == 6)
      #expect(origin.requests.allSatisfy { $0.value(of: "Cookie") == nil }, "no answer adds to what was recorded")
      let posted = origin.requests.filter { $0.startLine.hasPrefix("POST") }.map(\.body)
      #expect(posted == [Array("x=1".utf8), Array("x=1".utf8)])
    }

    /// RFC 9110 10.1.1: curl waits a second for the word to go on.
    @Test func whoExpectsToBeToldToGoOnIsTold() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "taken")])
      let directory = try TemporaryDirectory()
      let har = try Self.capture(origin, in: directory, "curl -sS -d x=1 $1post")
      origin.stop()
      let process = try Self.replay([
        har, "--", "curl", "-sS", "-H", "Expect: 100-continue", "--expect100-timeout", "50", "-d", "x=1", origin.url("/post"),
      ])
      #expect(process.outputText == "taken", "\(process.errorText)")
    }

    @Test func whatContradictsItselfIsRefused() throws {
      let directory = try TemporaryDirectory()
      for arguments in [["--send"], ["--send", "-o", "x.har", "--", "true"], ["--timing", "fast"]] {
        #expect(try Self.replay([directory.path("none.har")] + arguments).exitStatus == .exited(64))
      }
      #expect(try Self.replay([directory.path("none.har"), "--", "true"]).exitStatus == .exited(65))
      #expect(try Self.replay(["-", "--", "true"]).exitStatus == .exited(65))
    }
  }
}
