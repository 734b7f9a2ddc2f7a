import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A crash of ours costs the exchanges in flight, and not the session (docs/adr/0059).
  @Suite struct OwnCrashes {
    /// A place where the program can be told to crash, and how.
    struct Trap: Sendable, CustomTestStringConvertible {
      let text: String
      let signal: String
      var testDescription: String { text }

      static let inRedaction = Trap(text: "redaction:10", signal: "SIGILL")
      static let kinds = [
        inRedaction, Trap(text: "redaction:10:segv", signal: "SIGSEGV"), Trap(text: "redaction:10:abort", signal: "SIGABRT"),
        Trap(text: "redaction:10:overflow", signal: "SIGSEGV"), Trap(text: "loop:30", signal: "SIGILL"),
      ]
    }

    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: "the answer")])])
    }

    /// Asks for `/1?api_key=…`, `/2…`, … one after the other, each on a connection of its own, and repeats those that fail.
    private static let asking = """
      for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        until curl -sf --max-time 20 -H 'Authorization: Bearer tellnobody123456' "$0/$i?api_key=tellnobody123456" >/dev/null; do
          echo "again $i"
        done
        sleep 0.02
      done
      echo done
      """

    /// The only entry with `_crash`, checked against what every log of a survived crash must have.
    private static func checkedCrash(
      in log: RecordedLog, signal: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RecordedEntry {
      #expect(violations(in: log) == [], sourceLocation: sourceLocation)
      try HARValidators.expectAccepted(log.path, sourceLocation: sourceLocation)
      let lint = try TestProcess(TapelineProcess.binary, ["lint", log.path])
      #expect(try lint.wait() == .exited(0), "\(lint.outputText)\(lint.errorText)", sourceLocation: sourceLocation)
      #expect(!(try readText(log.path)).contains("tellnobody"), sourceLocation: sourceLocation)
      let crashes = log.entries.filter { $0.tree["_crash"] != nil }
      #expect(crashes.count == 1, sourceLocation: sourceLocation)
      let crash = try #require(crashes.first, sourceLocation: sourceLocation)
      #expect(crash.tree["_crash"]?["signal"]?.string == signal, sourceLocation: sourceLocation)
      #expect(crash.tree["_error"]?["kind"]?.string == "crash", sourceLocation: sourceLocation)
      #expect(crash.tree["_error"]?["origin"]?.string == "local", sourceLocation: sourceLocation)
      #expect(crash.method == "CRASH" && crash.url == "http://tapeline.invalid/crash", sourceLocation: sourceLocation)
      let figures = try TestProcess(TapelineProcess.binary, ["stats", log.path])
      #expect(try figures.wait() == .exited(0), sourceLocation: sourceLocation)
      let counted = "\(log.entries.count - 1) exchange"
      #expect(
        figures.outputText.hasPrefix(counted) && figures.outputText.contains("1 crash of tapeline itself"),
        "\(figures.outputText)",
        sourceLocation: sourceLocation)
      let ids = log.entries.compactMap { $0.tree["_exchangeId"]?.integer }
      #expect(Set(ids).count == log.entries.count, "numbers go on", sourceLocation: sourceLocation)
      return crash
    }

    @Test(arguments: Trap.kinds) func runGoesOn(after trap: Trap) throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "-o", har, "--", "sh", "-c", Self.asking, "http://127.0.0.1:\(origin.port)"],
        environment: ["TAPELINE_TRAP": trap.text])
      #expect(try run.wait() == .exited(70), "\(run.errorText)")
      #expect(run.outputText.hasSuffix("done\n"), "the command lives on")
      let lines = run.errorText.split(separator: "\n").filter { $0.contains("a crash of tapeline itself") }
      #expect(lines.count == 1 && lines[0].contains("(\(trap.signal))"), "\(run.errorText)")
      let log = try RecordedLog(contentsOf: har)
      let crash = try Self.checkedCrash(in: log, signal: trap.signal)
      let lost = crash.tree["_crash"]?["inFlight"]?.elements ?? []
      // The turns of a loop that an exchange takes depend on the machine: that crash may come between any answer and its entry.
      let named = log.entries.map(\.url) + lost.compactMap { $0["url"]?.string }
      for number in 1...12 { #expect(named.contains { $0.contains("/\(number)?") }, "\(number) is in the log or named as lost") }
      guard trap.text.hasPrefix("redaction") else { return }
      #expect(log.entries.contains { $0.url.contains("/11?") }, "the eleventh exchange works")
      #expect(lost.contains { $0["url"]?.string?.contains("/10?api_key=SENSITIVE_") == true }, "\(crash.tree)")
      let tokens = Set(log.entries.flatMap { entry in entry.url.split(separator: "=").dropFirst().map(String.init) })
      #expect(tokens.count <= 1, "a secret keeps its token: \(tokens)")
    }

    @Test func recordGoesOnUnderItsAddressAndItsName() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(["--name", "survivor"], environment: ["TAPELINE_TRAP": Trap.inRedaction.text])
      // A kept connection that is idle when the crash comes.
      let idle = try proxy.request("GET \(origin.url("/idle")) HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try idle.receive(through: "the answer")
      for number in 2...12 {
        // The tenth is lost with the crash, or after its answer.
        let curl = try proxy.curl([origin.url("/\(number)")])
        if number > 10 { #expect(curl.outputText == "the answer", "\(number): \(curl.errorText)") }
      }
      #expect(try idle.receiveToEnd().end == .closed, "a plain end")
      let status = try TestProcess(TapelineProcess.binary, ["status", "--name", "survivor"])
      #expect(try status.wait() == .exited(0), "\(status.errorText)")
      let stop = try TestProcess(TapelineProcess.binary, ["stop", "--name", "survivor"])
      #expect(try stop.wait() == .exited(0), "\(stop.errorText)")
      #expect(try proxy.process.wait() == .exited(70))
      #expect(proxy.process.errorText.contains("serving again after"))
      let log = try RecordedLog(contentsOf: proxy.harPath)
      _ = try Self.checkedCrash(in: log, signal: "SIGILL")
      #expect(log.entries.contains { $0.url.hasSuffix("/11") } && log.entries.contains { $0.url.hasSuffix("/9") })
    }

    @Test(.enabled(if: CommandNetworks.arePossible, "this system lets nobody make networks"))
    func aNetworkOfTheCommandsOwnGoesOn() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let run = try TestProcess(
        TapelineProcess.binary, ["run", "--all", "-o", har, "--", "sh", "-c", Self.asking, "http://127.0.0.1:\(origin.port)"],
        environment: ["TAPELINE_TRAP": Trap.inRedaction.text])
      #expect(try run.wait() == .exited(70), "\(run.errorText)")
      #expect(run.outputText.hasSuffix("done\n"), "the command lives on")
      let log = try RecordedLog(contentsOf: har)
      _ = try Self.checkedCrash(in: log, signal: "SIGILL")
      #expect(log.entries.contains { $0.url.contains("/11?") })
    }

    /// The authority is the one that the command trusts, whether it is kept on disk or in memory.
    @Test(arguments: [true, false]) func httpsGoesOn(keepsAuthority: Bool) throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("secret".utf8), as: "file")
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let options = keepsAuthority ? ["--ca-dir", directory.path("authority")] : []
      let environment = keepsAuthority ? [:] : ["HOME": "/proc", "XDG_DATA_HOME": "/proc", "XDG_CONFIG_HOME": "/proc"]
      let script = """
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
          until curl -sf --max-time 20 "$0?$i" >/dev/null; do echo "again $i"; done
        done
        """
      let run = try TestProcess(
        TapelineProcess.binary,
        ["run", "-o", har, "--upstream-ca", authority.certificate] + options
          + ["--", "sh", "-c", script, server.tlsURL("/file")],
        environment: environment.merging(["TAPELINE_TRAP": "tls:30"]) { $1 })
      #expect(try run.wait() == .exited(70), "\(run.errorText)")
      let log = try RecordedLog(contentsOf: har)
      _ = try Self.checkedCrash(in: log, signal: "SIGILL")
      #expect(log.entries.contains { $0.url.hasSuffix("/file?12") && $0.error == nil })
    }

    @Test func rotationsGoOn() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(environment: ["TAPELINE_TRAP": "redaction:12"])
      for number in 1...20 {
        if number == 4 { _ = try proxy.control(["rotate"]) }
        if number == 6 { _ = try proxy.control(["mark", "the second page"]) }
        if number == 16 { _ = try proxy.control(["mark", "the third page"]) }
        if number == 18 { _ = try proxy.control(["rotate"]) }
        _ = try proxy.curl([origin.url("/\(number)")])
      }
      #expect(try proxy.stop() == .exited(70), "\(proxy.process.errorText)")
      let stem = String(proxy.harPath.dropLast(4))
      let logs = try ["", "-001", "-002"].map { try RecordedLog(contentsOf: "\(stem)\($0).har") }
      for log in logs { #expect(violations(in: log) == []) }
      _ = try Self.checkedCrash(in: logs[1], signal: "SIGILL")
      let pages = logs[1].tree["log"]?["pages"]?.elements ?? []
      #expect(pages.compactMap { $0["title"]?.string } == ["tapeline record", "the second page", "the third page"])
      #expect(Set(pages.compactMap { $0["id"]?.string }).count == 3)
    }

    @Test func aCrashThatComesAgainAndAgainEndsTheRecording() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(environment: ["TAPELINE_TRAP": "redaction:2:trap:9"])
      // Those that meet a crash fail.
      for number in 1...40 where proxy.process.exitStatus == nil { _ = try proxy.curl([origin.url("/\(number)")]) }
      #expect(try proxy.process.wait() == .exited(70))
      #expect(proxy.process.errorText.contains("crashed (SIGILL) for the sixth time within 10 s: giving up"))
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(violations(in: log) == [])
      // The sixth has none, nor has one that came before the entry of the one before it.
      #expect((1...5).contains(log.entries.count { $0.tree["_crash"] != nil }))
    }

    /// The entry of a crash may make us crash as the exchange's did: then it does without what was asked for.
    @Test func theEntryOfTheCrashMayBeTheNextOne() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(environment: ["TAPELINE_TRAP": "redaction:1:trap:2"])
      _ = try proxy.curl([origin.url("/1")])
      // Another exchange would make it crash, too, if it came before the entry.
      let deadline = Deadline.after(seconds: 60)
      while try !readText(proxy.harPath).contains("\"_crash\"") {
        guard !deadline.hasPassed else { throw TestSupportError.timedOut(waitingFor: "the entry of the crash") }
        SystemThread.sleep(for: .milliseconds(5))
      }
      for number in 2...3 { _ = try proxy.curl([origin.url("/\(number)")]) }
      #expect(try proxy.stop() == .exited(70), "\(proxy.process.errorText)")
      let log = try RecordedLog(contentsOf: proxy.harPath)
      let crash = try Self.checkedCrash(in: log, signal: "SIGILL")
      #expect(crash.tree["_crash"]?["number"]?.integer == 2)
      let lost = crash.tree["_crash"]?["inFlight"]?.elements ?? []
      #expect(lost.first?["method"]?.string == "GET" && lost.first?["url"] == nil, "\(crash.tree)")
      #expect(log.entries.contains { $0.url.hasSuffix("/3") })
    }

    @Test func aKillAfterACrashLeavesAWholeLog() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(environment: ["TAPELINE_TRAP": "redaction:3"])
      for number in 1...6 { _ = try proxy.curl([origin.url("/\(number)")]) }
      // The answer comes when all before it is written.
      _ = try proxy.control(["snapshot", proxy.portFile + ".har"])
      proxy.process.signal(9)
      #expect(try proxy.process.wait() == .killed(signal: 9))
      let log = try RecordedLog(contentsOf: proxy.harPath)
      _ = try Self.checkedCrash(in: log, signal: "SIGILL")
      #expect(log.entries.contains { $0.url.hasSuffix("/2") } && log.entries.contains { $0.url.hasSuffix("/6") })
    }

    @Test func localSocketsGoOn() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let path = directory.path("proxy.sock")
      let proxy = try TapelineProcess(["--listen", "unix:\(path)"], environment: ["TAPELINE_TRAP": "redaction:3"])
      for number in 1...6 {
        let curl = try TestProcess(
          "curl",
          ["-sS", "--unix-socket", path, "-H", "Host: 127.0.0.1:\(origin.port)"]
            + ["--request-target", origin.url("/\(number)"), "http://127.0.0.1/"])
        try curl.wait()
        if number > 4 { #expect(curl.outputText == "the answer", "\(curl.errorText)") }
      }
      #expect(try proxy.stop() == .exited(70), "\(proxy.process.errorText)")
      #expect((try? readText(path)) == nil, "its name ends with the recording")
    }

    /// Hands a socket over as a service manager does, and prints where it listens.
    private static let manager = """
      import os, socket, sys
      listener = socket.create_server(('127.0.0.1', 0))
      print('port', listener.getsockname()[1], flush=True)
      os.set_inheritable(3, True) if listener.fileno() == 3 else os.dup2(listener.fileno(), 3)
      os.environ.update(LISTEN_FDS='1', LISTEN_PID=str(os.getpid()))
      os.execv(sys.argv[1], sys.argv[1:])
      """

    @Test func socketsOfAServiceManagerGoOn() throws {
      let origin = try Self.answering()
      let directory = try TemporaryDirectory()
      let har = directory.path("a.har")
      let proxy = try TestProcess(
        "python3", ["-c", Self.manager, TapelineProcess.binary, "record", "-o", har],
        environment: ["TAPELINE_TRAP": "redaction:3"])
      let port = try proxy.waitForOutputLine(containing: "port ").filter(\.isNumber)
      _ = try proxy.waitForErrorLine(containing: "listening on")
      for number in 1...6 {
        let curl = try TestProcess("curl", ["-sS", "--noproxy", "", "-x", "127.0.0.1:\(port)", origin.url("/\(number)")])
        try curl.wait()
        if number > 4 { #expect(curl.outputText == "the answer", "\(curl.errorText)") }
      }
      proxy.signal(15)
      #expect(try proxy.wait() == .exited(70), "\(proxy.errorText)")
      _ = try Self.checkedCrash(in: RecordedLog(contentsOf: har), signal: "SIGILL")
    }

    /// The signal comes while the program is executed again, or shortly before or after that.
    @Test(arguments: [0, 1, 3, 10, 30]) func aSignalDuringTheRestartIsNotLost(milliseconds: Int) throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(environment: ["TAPELINE_TRAP": "redaction:2"])
      _ = try proxy.curl([origin.url("/1")])
      let client = try proxy.request("GET \(origin.url("/2")) HTTP/1.1\r\nHost: a\r\n\r\n")
      // The crash ends the connection.
      _ = try? client.receiveToEnd()
      SystemThread.sleep(for: .milliseconds(milliseconds))
      proxy.process.signal(15)
      #expect(try proxy.process.wait() == .exited(70), "\(proxy.process.errorText)")
      _ = try Self.checkedCrash(in: RecordedLog(contentsOf: proxy.harPath), signal: "SIGILL")
    }

    @Test func withoutRestartsTheSystemHasTheCrash() throws {
      let origin = try Self.answering()
      let proxy = try TapelineProcess(
        environment: ["TAPELINE_TRAP": "redaction:1:abort", "TAPELINE_NO_RESTART": "1"])
      _ = try proxy.curl([origin.url("/1")])
      #expect(try proxy.process.wait() == .killed(signal: 6))
      #expect(violations(in: try RecordedLog(contentsOf: proxy.harPath)) == [])
    }

    @Test(arguments: [ProcessEnding(signal: 6), ProcessEnding(signal: 4), ProcessEnding(signal: 11), ProcessEnding(signal: 9)])
    func aSignalThatSomebodySendsEndsIt(_ ending: ProcessEnding) throws {
      let proxy = try TapelineProcess()
      proxy.process.signal(ending.signal)
      #expect(try proxy.process.wait() == .killed(signal: ending.signal))
    }

    struct ProcessEnding: Sendable {
      let signal: Int32
    }
  }
}
