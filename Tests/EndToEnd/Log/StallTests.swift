import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The disk stops for as long as the test says.
  @Suite struct Stalls {
    private let directory: TemporaryDirectory
    private let origin: ScriptedOrigin

    init() throws {
      directory = try TemporaryDirectory()
      origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: String(repeating: "y", count: 20_000))])
      ])
    }

    private func start(_ options: [String] = []) throws -> TapelineProcess {
      try TapelineProcess(options, environment: ["TAPELINE_STALL": directory.path("stall")])
    }

    private func stop() throws { try directory.write("", to: "stall") }

    private func goOn() throws { try SystemCalls.remove(directory.path("stall")) }

    private func urls(_ count: Int) -> String { "\(origin.url("/"))[1-\(count)]" }

    private func beginCurl(_ count: Int, through proxy: TapelineProcess) throws -> TestProcess {
      try TestProcess(
        "curl",
        ["-sS", "--proxy", proxy.url, "--noproxy", "", "-o", "/dev/null", "-w", "%{http_code}\\n", urls(count)])
    }

    private func status(_ proxy: TapelineProcess) throws -> JSONTree {
      try JSONTree(parsing: proxy.control(["status", "--json"]).standardOutput)
    }

    /// Bytes that wait to be written.
    private static func queued(_ status: JSONTree) -> Int { status["queue"]?["bytes"]?.integer ?? 0 }

    /// Asks until the status is as wanted.
    private func awaitStatus(_ proxy: TapelineProcess, _ isWanted: (JSONTree) throws -> Bool) throws -> JSONTree {
      let deadline = Deadline.after(seconds: 60)
      while true {
        let status = try status(proxy)
        if try isWanted(status) { return status }
        try #require(!deadline.hasPassed, "\(proxy.process.errorText)")
      }
    }

    /// Interrupts the program, and returns its log.
    private func end(_ proxy: TapelineProcess) throws -> RecordedLog {
      #expect(try proxy.stop(seconds: 60) == .exited(0), "\(proxy.process.errorText)")
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(violations(in: log) == [])
      return log
    }

    @Test("What fits into the queue is all there, whatever happens beyond it", arguments: ["drop", "wait"])
    func nothingLost(overload: String) throws {
      let proxy = try start(["--overload", overload])
      try stop()
      let curl = try beginCurl(300, through: proxy)
      #expect(try curl.wait(seconds: 60) == .exited(0), "the relay does not wait")
      let status = try awaitStatus(proxy) { Self.queued($0) > 300 * 20_000 }
      let queue = try #require(status["queue"])
      let limit = try #require(queue["limit"]?.integer)
      #expect(queue["overload"]?.string == overload && limit > 0)
      #expect(try proxy.control(["status"]).outputText.contains(" waiting for the disk ("))
      try goOn()
      let log = try end(proxy)
      #expect(log.entries.count == 300 && log.tree["log"]?["_dropped"] == nil)
      #expect(!proxy.process.errorText.contains("waited"))
    }

    @Test("With drop, what does not fit is counted, and the relay goes on")
    func dropped() throws {
      let proxy = try start(["--queue", "1MiB"])
      try stop()
      let curl = try beginCurl(1_500, through: proxy)
      #expect(try curl.wait(seconds: 60) == .exited(0))
      #expect(curl.outputText == String(repeating: "200\n", count: 1_500))
      _ = try awaitStatus(proxy) { status in
        let count = status["log"]?["notRecorded"]?.integer ?? 0
        return count > 0
      }
      try goOn()
      let log = try end(proxy)
      let lost = try #require(log.tree["log"]?["_dropped"])
      let (bodies, exchanges) = (lost["bodies"]?.integer ?? 0, lost["exchanges"]?.integer ?? 0)
      #expect(bodies > 0 && exchanges > 0 && log.entries.count + exchanges == 1_500)
      let bare = log.entries.filter { $0.tree["response"]?["content"]?["text"] == nil }
      #expect(bare.count == bodies)
    }

    @Test("With wait, exchanges begin when there is room, and say how long that took")
    func waited() throws {
      let proxy = try start(["--queue", "1MiB", "--overload", "wait"])
      try stop()
      let curl = try beginCurl(400, through: proxy)
      _ = try awaitStatus(proxy) { Self.queued($0) >= 768 << 10 && $0["traffic"]?["inFlight"]?.integer == 1 }
      #expect(curl.exitStatus == nil)
      try goOn()
      #expect(try curl.wait(seconds: 60) == .exited(0))
      #expect(curl.outputText == String(repeating: "200\n", count: 400))
      let log = try end(proxy)
      #expect(log.entries.count == 400 && log.tree["log"]?["_dropped"] == nil)
      var waits = 0
      for entry in log.entries {
        #expect(entry.tree["response"]?["content"]?["text"]?.string?.utf8.count == 20_000)
        guard let wait = entry.tree["_overhead"]?["recorder"]?.number else { continue }
        waits += 1
        let own = try #require(entry.tree["_overhead"]?["request"]?.number)
        #expect(wait <= own + 0.001, "a part of the proxy's own time")
      }
      #expect(waits > 0 && proxy.process.errorText.contains("\(waits) waited for the recorder"), "\(proxy.process.errorText)")
    }

    @Test("A kill while the disk stands still leaves what was written, whole")
    func killed() throws {
      let proxy = try start()
      #expect(try proxy.curl(["-o", "/dev/null", urls(20)]).exitStatus == .exited(0))
      _ = try awaitStatus(proxy) { $0["log"]?["fileEntries"]?.integer == 20 }
      try stop()
      #expect(try beginCurl(100, through: proxy).wait(seconds: 60) == .exited(0))
      proxy.process.signal(ProcessSignal.kill)
      _ = try proxy.process.wait()
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(violations(in: log) == [] && log.entries.count == 20)
    }

    @Test("The live page says what waits, and ends with the recording")
    func livePage() throws {
      let proxy = try start()
      let reader = try LiveReader(proxy)
      #expect(try reader.receiveStatus() == 200)
      try stop()
      #expect(try beginCurl(200, through: proxy).wait(seconds: 60) == .exited(0))
      var queue = try reader.next()
      while queue.name != "queue" { queue = try reader.next() }
      let (bytes, limit) = (try #require(queue.data["bytes"]?.integer), try #require(queue.data["limit"]?.integer))
      #expect(bytes > 0 && limit > bytes)
      try goOn()
      while queue.name != "queue" || queue.data["bytes"]?.integer != 0 { queue = try reader.next() }
      #expect(try end(proxy).entries.count == 200)
    }
  }
}
