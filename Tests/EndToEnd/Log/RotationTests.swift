import TapelineSystem
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// A capture that goes on in another file: each is whole, and none of the entries is lost or written twice.
  @Suite struct Rotation {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: text/plain"], body: String(repeating: "x", count: 2000))])
      ])
    }

    /// The capture's files in order: `capture.har`, `capture-001.har`, …
    private static func logs(of recording: Recording) throws -> [RecordedLog] {
      let stem = recording.log.path.dropLast(".har".count)
      var logs = [recording.log]
      let names = NumberedPath("\(stem).har")
      while fileExists(names.numbered(logs.count)) {
        logs.append(try RecordedLog(contentsOf: names.numbered(logs.count)))
      }
      for log in logs {
        #expect(violations(in: log) == [])
        try HARValidators.expectAccepted(log.path)
      }
      return logs
    }

    private static func expectEach(_ count: Int, in logs: [RecordedLog]) {
      let urls = logs.flatMap { $0.entries.map(\.url) }
      #expect(urls.count == count)
      #expect(Set(urls).count == count)
    }

    @Test func bySize() throws {
      let origin = try Self.answering()
      let recording = try recording(["--rotate-size", "100KiB"]) { proxy in
        let curl = try proxy.curl(["-o", "/dev/null", "\(origin.url())[1-200]"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
      }
      let logs = try Self.logs(of: recording)
      #expect(logs.count >= 4)
      for log in logs {
        let size = try readFile(log.path).count
        #expect(size <= 100 * 1024, "\(log.path), \(log.entries.count) entries")
      }
      Self.expectEach(200, in: logs)
    }

    @Test func byTime() throws {
      let origin = try Self.answering()
      let recording = try recording(["--rotate-every", "1s"]) { proxy in
        _ = try proxy.curl(["-o", "/dev/null", "--rate", "8/s", "\(origin.url())[1-20]"])
      }
      let logs = try Self.logs(of: recording)
      #expect(logs.count >= 2)
      #expect(logs.dropLast().allSatisfy { !$0.entries.isEmpty })
      Self.expectEach(20, in: logs)
    }

    @Test func bySignal() throws {
      let origin = try Self.answering()
      let recording = try recording { proxy in
        _ = try proxy.curl(["-o", "/dev/null", origin.url("/before")])
        // curl has its answer before the exchange is in the log.
        #expect(try proxy.control(["wait", "--quiet", "10ms", "--timeout", "60s"]).exitStatus == .exited(0))
        proxy.process.signal(1)
        // The signal is taken in the loop's next turn, which may come after another exchange's first bytes.
        let next = proxy.harPath.dropLast(".har".count) + "-001.har"
        for _ in 0..<200 where !fileExists(String(next)) {
          _ = try proxy.curl(["-o", "/dev/null", origin.url("/during?\(UInt64.random(in: 0 ... .max))")])
        }
        _ = try proxy.curl(["-o", "/dev/null", origin.url("/after")])
      }
      let logs = try Self.logs(of: recording)
      #expect(logs.count == 2)
      #expect(logs.first?.entries.first?.url == origin.url("/before"))
      #expect(logs.last?.entries.last?.url == origin.url("/after"))
    }
  }
}
