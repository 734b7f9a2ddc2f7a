import Dispatch
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Scripts steer a running recording through its control socket.
  @Suite struct Control {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "the answer")])])
    }

    /// Runs `script` for the shell under `tapeline run`: `$0` is the program, `$1` the origin's URL, `$2` a directory.
    private static func run(
      _ script: String, against origin: ScriptedOrigin, in directory: TemporaryDirectory, options: [String] = [],
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> (process: TestProcess, log: RecordedLog) {
      let har = directory.path("capture.har")
      let binary = try TapelineProcess.binary
      let run = try TestProcess(
        binary,
        ["run", "-o", har, "--ca-dir", directory.path("authority")] + options
          + ["--", "sh", "-ec", script, binary, origin.url(), directory.path])
      #expect(try run.wait(seconds: 60).isSuccess, "\(run.errorText)", sourceLocation: sourceLocation)
      let log = try RecordedLog(contentsOf: har)
      #expect(violations(in: log) == [], sourceLocation: sourceLocation)
      try HARValidators.expectAccepted(har, sourceLocation: sourceLocation)
      return (run, log)
    }

    @Test func marksBeginPages() throws {
      let directory = try TemporaryDirectory()
      let script = "curl -sS $1zero; $0 mark 'first test'; curl -sS $1one; $0 mark second; curl -sS $1two; curl -sS $1three"
      let (_, log) = try Self.run(script, against: Self.answering(), in: directory)
      let pages = log.tree["log"]?["pages"]?.elements ?? []
      let titles = pages.map { $0["title"]?.string ?? "" }
      #expect(titles.count == 3)
      #expect(titles.first?.contains("curl -sS $1zero") == true, "the first page is the command: \(titles)")
      #expect(titles.dropFirst() == ["first test", "second"])
      func title(of suffix: String) throws -> String? {
        let page = try log.entry(suffix).tree["pageref"]
        return pages.first { $0["id"] == page }?["title"]?.string
      }
      #expect(try title(of: "/one") == "first test")
      #expect(try title(of: "/two") == "second")
      #expect(try title(of: "/three") == "second")
    }

    @Test func waitsUntilNothingIsInFlight() throws {
      let isAsked = DispatchSemaphore(value: 0)
      let origin = try ScriptedOrigin(scripts: { number in
        number == 0
          ? [.expectRequest, .run { _ in _ = isAsked.wait(timeout: .now() + 60) }, .respond(body: "late")]
          : [.expectRequest, .run { _ in isAsked.signal() }, .respond(body: "asked")]
      })
      let directory = try TemporaryDirectory()
      let script = """
        curl -sS -o $2/late $1late & \
        until $0 status --json | grep -q '"inFlight": *1'; do :; done; \
        ! $0 wait --quiet 10ms --timeout 100ms || exit 8; \
        curl -sS $1ask; \
        $0 wait --quiet 50ms --timeout 30s; \
        grep -q late $2/late
        """
      let (_, log) = try Self.run(script, against: origin, in: directory)
      #expect(log.entries.map(\.status) == [200, 200])
    }

    @Test func aWaitThatEndsWithoutQuietSaysSo() throws {
      let origin = try ScriptedOrigin([.expectRequest, .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/hangs")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try origin.waitForRequests(1)
        let wait = try proxy.control(["wait", "--quiet", "10ms", "--timeout", "50ms"])
        #expect(wait.exitStatus == .exited(1), "\(wait.errorText)")
        client.close()
        #expect(try proxy.control(["wait", "--quiet", "10ms", "--timeout", "20s"]).exitStatus == .exited(0))
      }
      #expect(recording.entries.count == 1)
    }

    @Test func streamsThatStandOpenAreNotWaitedFor() throws {
      let events = try ScriptedOrigin([
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\ndata:\n\r\n"),
        .expectEnd,
      ])
      let socket = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), .expectEnd,
      ])
      let opaque = try ScriptedOrigin([.expectEnd])
      _ = try recording { proxy in
        let source = try proxy.request(
          "GET \(events.url("/events")) HTTP/1.1\r\nHost: \(events.authority)\r\nAccept: text/event-stream\r\n\r\n")
        _ = try source.receive(through: "data:")
        let webSocket = try proxy.request(
          "GET \(socket.url("/chat")) HTTP/1.1\r\nHost: \(socket.authority)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        _ = try webSocket.receiveHead()
        let tunnel = try proxy.request("CONNECT \(opaque.authority) HTTP/1.1\r\nHost: \(opaque.authority)\r\n\r\n")
        _ = try tunnel.receiveHead()
        let wait = try proxy.control(["wait", "--quiet", "10ms", "--timeout", "20s"])
        #expect(wait.exitStatus == .exited(0), "\(wait.errorText)")
        #expect(try proxy.control(["status"]).outputText.contains("in flight 1 (1 stream), tunnels 2"))
        let all = try proxy.control(["wait", "--streams", "--quiet", "10ms", "--timeout", "50ms"])
        #expect(all.exitStatus == .exited(1))
        #expect(all.errorText.contains("3 in flight"), "\(all.errorText)")
        for client in [source, webSocket, tunnel] { client.close() }
        #expect(try proxy.control(["wait", "--streams", "--quiet", "10ms", "--timeout", "20s"]).exitStatus == .exited(0))
      }
    }

    @Test func aDownloadIsWaitedForHoweverFarItIs() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n"),
        .expectEnd,
      ])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/long")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "{}")
        let wait = try proxy.control(["wait", "--quiet", "10ms", "--timeout", "50ms"])
        #expect(wait.exitStatus == .exited(1))
        #expect(wait.errorText.contains("1 in flight"), "\(wait.errorText)")
        client.close()
      }
    }

    @Test func trafficCanBeWatched() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        for _ in 0..<3 {
          let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          #expect(try client.receiveResponse().bodyText == "the answer")
        }
        #expect(try proxy.control(["wait", "--quiet", "10ms"]).exitStatus == .exited(0))
        let json = try proxy.control(["top", "--json", "--interval", "50ms", "--count", "1"])
        #expect(json.outputText.contains("\"exchangesInAll\":3"), "\(json.outputText) \(json.errorText)")
        #expect(json.outputText.contains("\"host\":\"\(origin.authority)\""))
        let lines = try proxy.control(["top", "--interval", "50ms", "--count", "2"])
        #expect(lines.outputText.split(separator: "\n").count == 2)
      }
    }

    @Test func snapshotsAreWholeUnderLoad() throws {
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .delay(milliseconds: 20), .respond(fields: ["Content-Type: text/plain"], body: "the answer")])
      ])
      let directory = try TemporaryDirectory()
      let recording = try recording { proxy in
        let load = try TestProcess(
          "curl",
          ["-s", "--proxy", proxy.url, "--noproxy", "", "--parallel", "--parallel-max", "8", "-o", "/dev/null"]
            + ["\(origin.url())[1-400]"])
        var last = 0
        for round in 1...5 {
          _ = try origin.waitForRequests(70 * round)
          let snapshot = try proxy.control(["snapshot", "-o", directory.path("snapshot.har")])
          #expect(snapshot.exitStatus == .exited(0), "\(snapshot.errorText)")
          let count = try Self.countEntries(of: directory.path("snapshot.har"))
          #expect(count >= last)
          last = count
        }
        #expect(last > 0)
        try HARValidators.expectAccepted(directory.path("snapshot.har"))
        #expect(try load.wait() == .exited(0))
      }
      let mode = try TestProcess("stat", ["-c", "%a", directory.path("snapshot.har")])
      try mode.wait()
      #expect(mode.outputText == "600\n")
      #expect(recording.entries.count == 400)
    }

    /// As quickly as it can be read, since the load goes on meanwhile.
    private static func countEntries(of path: String) throws -> Int {
      let script = "import json, sys; print(len(json.load(open(sys.argv[1]))['log']['entries']))"
      let count = try TestProcess("python3", ["-c", script, path])
      try #require(try count.wait().isSuccess, "\(count.errorText)")
      return try #require(Int(count.outputText.filter(\.isNumber)))
    }

    @Test func aSnapshotHoldsWhatHasEnded() throws {
      let directory = try TemporaryDirectory()
      let (_, log) = try Self.run(
        "curl -sS $1one; $0 snapshot -o $2/snapshot.har; curl -sS $1two", against: Self.answering(), in: directory)
      let snapshot = try RecordedLog(contentsOf: directory.path("snapshot.har"))
      #expect(snapshot.entries.count == 1)
      #expect(snapshot.entries.first?.tree == log.entries.first?.tree)
      #expect(log.entries.count == 2)
    }

    @Test func aSnapshotHoldsWhatIsInFlight() throws {
      let directory = try TemporaryDirectory()
      let download = try ScriptedOrigin([
        .expectRequest,
        .send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\nthe first line\nthe sec"), .expectEnd,
      ])
      let silent = try ScriptedOrigin([.expectRequest, .expectEnd])
      let socket = try ScriptedOrigin([
        .expectHead, .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
        .send([0x81, 2] + Array("hi".utf8)), .expectEnd,
      ])
      let opaque = try ScriptedOrigin([.send("220 hello\r\n"), .expectEnd])
      let path = directory.path("snapshot.har")
      let recording = try recording { proxy in
        let down = try proxy.request("GET \(download.url("/file?token=secret")) HTTP/1.1\r\nHost: \(download.authority)\r\n\r\n")
        _ = try down.receive(through: "the sec")
        let waiting = try proxy.request("GET \(silent.url("/thinks")) HTTP/1.1\r\nHost: \(silent.authority)\r\n\r\n")
        _ = try silent.waitForRequests(1)
        let webSocket = try proxy.request(
          "GET \(socket.url("/chat")) HTTP/1.1\r\nHost: \(socket.authority)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        _ = try webSocket.receive(through: "hi")
        let tunnel = try proxy.request("CONNECT \(opaque.authority) HTTP/1.1\r\nHost: \(opaque.authority)\r\n\r\n")
        _ = try tunnel.receive(through: "hello")
        // A head that is not complete is no request yet.
        let incomplete = try proxy.request("GET \(silent.url("/half")) HTTP/1.1\r\n")
        let snapshot = try proxy.control(["snapshot", "-o", path])
        #expect(snapshot.exitStatus == .exited(0), "\(snapshot.errorText)")
        for client in [down, waiting, webSocket, tunnel, incomplete] { client.close() }
      }
      let log = try RecordedLog(contentsOf: path)
      #expect(violations(in: log) == [])
      try HARValidators.expectAccepted(path)
      #expect(log.entries.count == 4)
      #expect(log.entries.allSatisfy { $0.tree["_inFlight"] == .bool(true) && $0.error == nil })
      let file = try #require(log.entries.first { $0.url.contains("/file?token=") })
      #expect(!file.url.contains("secret"))
      #expect(file.status == 200)
      #expect(file.contentText == "the first line\nthe ", "but for the word that is not whole")
      #expect(file.responseBodySize == 22)
      let thinking = try log.entry("/thinks")
      #expect(thinking.status == 0)
      #expect(thinking.phase("wait") > 0)
      #expect(thinking.phase("receive") == 0)
      #expect(try log.entry("/chat").tree["_webSocketMessages"]?.elements.first?["data"]?.string == "hi")
      #expect(log.entries.first { $0.method == "CONNECT" }?.tree["_tunnel"]?["toClient"]?.integer == 11)
      // Each is recorded when it ends, and once.
      #expect(recording.entries.count == 5)
      #expect(recording.entries.allSatisfy { $0.tree["_inFlight"] == nil })
      let list = try TestProcess(TapelineProcess.binary, ["list", path])
      #expect(try list.wait().isSuccess)
      #expect(!list.outputText.contains("ERR"), "\(list.outputText)")
      #expect(list.outputText.contains("200…"))
      let show = try TestProcess(TapelineProcess.binary, ["show", path, "1"])
      try show.wait()
      #expect(show.outputText.contains("in flight when the log was copied"), "\(show.outputText)")
    }

    @Test func rotates() throws {
      let directory = try TemporaryDirectory()
      let (_, log) = try Self.run("curl -sS $1one; $0 rotate; curl -sS $1two", against: Self.answering(), in: directory)
      let next = try RecordedLog(contentsOf: directory.path("capture-001.har"))
      #expect(violations(in: next) == [])
      #expect(log.entries.map(\.url.last) == ["e"])
      #expect(next.entries.map(\.url.last) == ["o"])
    }

    @Test func tellsItsState() throws {
      let origin = try Self.answering()
      _ = try recording { proxy in
        _ = try proxy.curl([origin.url("/one"), origin.url("/two")])
        let status = try JSONTree(parsing: proxy.control(["status", "--json"]).standardOutput)
        #expect(status["pid"]?.integer == Int(proxy.process.id))
        #expect(status["endpoints"]?.elements.compactMap(\.string) == ["127.0.0.1:\(proxy.port)"])
        #expect(status["traffic"]?["begun"]?.integer == 2)
        #expect(status["traffic"]?["inFlight"]?.integer == 0)
        #expect(status["log"]?["file"]?.string?.hasSuffix("capture.har") == true)
        #expect(try proxy.control(["status"]).outputText.contains("127.0.0.1:\(proxy.port)"))
      }
    }

    @Test func stopEndsTheRecording() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess()
      _ = try proxy.curl([origin.url("/last")])
      let socket = try proxy.controlSocket()
      #expect(try proxy.control(["stop"]).exitStatus == .exited(0))
      // When it has said so, the file is final.
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(log.entries.count == 1)
      #expect(try readText(proxy.harPath).hasSuffix("}}"), "no blanks are left")
      #expect(try proxy.process.wait() == .exited(0))
      let late = try TestProcess(TapelineProcess.binary, ["status", "--control", socket])
      #expect(try late.wait() == .exited(69), "nobody is there any more")
    }

    @Test func itsSocketIsItsOwnersAlone() throws {
      _ = try recording { proxy in
        let stat = try TestProcess("stat", ["-c", "%F %a", proxy.controlSocket()])
        try stat.wait()
        #expect(stat.outputText == "socket 600\n", "\(stat.errorText)")
      }
    }

    @Test func nothingThatIsSentThereHarms() throws {
      let origin = try Self.answering()
      let recording = try recording { proxy in
        let script = """
          import os, socket, sys
          for bytes in (b'', b'\\n', b'{}\\n', b'null\\n', b'{"tapeline": 99, "command": "stop"}\\n', b'{"tapeline": 1}\\n', b'[' * 100000,
                         b'{"tapeline": 1, "command": "no such"}\\n',
                         b'{"tapeline": 1, "command": "snapshot", "path": "/tmp/a\\\\u0000b"}\\n',
                         os.urandom(65536) + b'\\n', b'{"tapeline": 1, "command": "mark"'):
              with socket.socket(socket.AF_UNIX) as peer:
                  peer.settimeout(10)
                  peer.connect(sys.argv[1])
                  try:
                      peer.sendall(bytes)
                      peer.shutdown(socket.SHUT_WR)
                      while peer.recv(4096): pass
                  except (BrokenPipeError, ConnectionResetError):
                      pass
          """
        let hostile = try TestProcess(pythonInterpreter(), ["-c", script, proxy.controlSocket()])
        #expect(try hostile.wait().isSuccess, "\(hostile.errorText)")
        #expect(try proxy.control(["status"]).exitStatus == .exited(0))
        _ = try proxy.curl([origin.url("/after")])
      }
      #expect(recording.entries.count == 1)
    }
  }
}

extension TapelineProcess {
  /// Runs `tapeline COMMAND` for this recording.
  func control(_ arguments: [String]) throws -> TestProcess {
    let command = try TestProcess(Self.binary, arguments + ["--control", controlSocket()])
    try command.wait(seconds: 60)
    return command
  }

  /// As `tapeline env` tells it to a shell.
  func controlSocket() throws -> String {
    let environment = try TestProcess(Self.binary, ["env", "--port-file", portFile])
    try environment.wait()
    let line = try #require(
      environment.outputText.split(separator: "\n").first { $0.hasPrefix("export TAPELINE_CONTROL=") },
      "\(environment.outputText)\(environment.errorText)")
    return String(line.dropFirst("export TAPELINE_CONTROL=".count).filter { $0 != "'" && $0 != "\"" })
  }
}
