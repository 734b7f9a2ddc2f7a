import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Collectors that are away, slow, or say anything: the exchanges are relayed and recorded, and every span is accounted for.
  @Suite struct OTLPFailures {
    private static func answering() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.answer { _ in .response(body: Array("a lamp\n".utf8)) }])])
    }

    /// The counts in a status: what was made, and what became of it.
    private struct Counts {
      let made, sent, rejected, dropped, queued: Int

      init(_ status: JSONTree) throws {
        let otlp = try #require(status["otlp"])
        func count(_ name: String) throws -> Int { try #require(otlp[name]?.integer) }
        made = try count("made")
        sent = try count("sent")
        rejected = try count("rejected")
        dropped = try count("dropped")
        queued = try count("queued")
      }

      var isBalanced: Bool { made == sent + rejected + dropped + queued }
    }

    /// Asks until the counts are as they should be.
    private func counts(of proxy: TapelineProcess, where isReached: (Counts) -> Bool) throws -> Counts {
      let deadline = Deadline.after(seconds: 30)
      while true {
        let status = try TestProcess(
          TapelineProcess.binary, ["status", "--json", "--name", "\(proxy.process.id)"], environment: ["TAPELINE_CONTROL": ""])
        #expect(try status.wait().isSuccess, "\(status.errorText)")
        let counts = try Counts(JSONTree(parsing: status.standardOutput))
        #expect(counts.isBalanced, "\(counts)")
        if isReached(counts) { return counts }
        try #require(!deadline.hasPassed, "\(counts)")
      }
    }

    @Test("A collector that is busy is asked again when it wants to be, and gets everything once")
    func busy() throws {
      let origin = try Self.answering()
      let collector = try Collector { number in
        switch number {
        case 0: Collector.response("429 Too Many Requests", fields: ["Retry-After: 0"])
        case 1: Collector.response("503 Service Unavailable", fields: ["Retry-After: 0"])
        case 2: Collector.response("502 Bad Gateway", fields: ["Retry-After: 0"])
        case _: Collector.taken
        }
      }
      let recording = try recording(["--otlp", collector.url]) { proxy in
        _ = try proxy.curl([origin.url("/a")])
        _ = try counts(of: proxy) { $0.made > 0 && $0.sent == $0.made }
      }
      #expect(collector.origin.requests.count == 4)
      #expect(Set(collector.origin.requests.map(\.body)).count == 1)
      expectModel(try collector.spans { $0 == 3 }, of: recording.log)
    }

    @Test("A collector that dies under a batch and comes back gets the batch again")
    func comesBack() throws {
      let origin = try Self.answering()
      let collector = try ScriptedOrigin { connection in
        switch connection {
        case 0: [.expectRequest, .close]
        case 1: [.reset]
        case _: [.forever([.answer { _ in Collector.taken }])]
        }
      }
      let recording = try recording(["--otlp", collector.url("")]) { proxy in
        _ = try proxy.curl([origin.url("/a")])
        let counts = try counts(of: proxy) { $0.sent > 0 }
        #expect(counts.dropped == 0 && counts.rejected == 0)
      }
      expectModel(try Collector.decode(collector.connections.dropFirst(2).flatMap(\.requests).map(\.body)), of: recording.log)
    }

    @Test(
      "A refusal is counted, with its reason, in status, metrics and the last line",
      arguments: [
        ("400 Bad Request", [], "it answers 400"), ("301 Moved Permanently", [], "it answers 301"),
        // partial_success { rejected_spans: 2, error_message: "old" }
        ("200 OK", [0x0A, 0x07, 0x08, 0x02, 0x12, 0x03, 0x6F, 0x6C, 0x64], "it rejected 2 of"),
      ] as [(String, [UInt8], String)])
    func refusal(status: String, body: [UInt8], reason: String) throws {
      let origin = try Self.answering()
      let collector = try Collector { _ in Collector.response(status, fields: ["Location: /elsewhere"], body: body) }
      let recording = try recording(["--otlp", collector.url]) { proxy in
        _ = try proxy.curl([origin.url("/a")])
        let counts = try counts(of: proxy) { $0.rejected > 0 && $0.queued == 0 }
        #expect(counts.rejected == (body.isEmpty ? counts.made : 2))
        let text = try TestProcess(
          TapelineProcess.binary, ["status", "--name", "\(proxy.process.id)"], environment: ["TAPELINE_CONTROL": ""])
        #expect(try text.wait().isSuccess)
        #expect(
          text.outputText.contains("\(counts.rejected) rejected, to \(collector.url)/v1/traces (\(reason)"), "\(text.outputText)")
        // Asked last: the answer is an exchange, too.
        let metrics = try TestProcess("curl", ["-sS", "\(proxy.url)/metrics"])
        #expect(try metrics.wait().isSuccess)
        #expect(metrics.outputText.contains("tapeline_otlp_spans_total{result=\"rejected\"} \(counts.rejected)\n"))
        #expect(metrics.outputText.contains("tapeline_otlp_queue_spans 0\n"))
      }
      // No batch was sent twice.
      #expect(Set(collector.origin.requests.map(\.body)).count == collector.origin.requests.count)
      #expect(recording.proxy.process.errorText.contains(" rejected: \(reason)"), "\(recording.proxy.process.errorText)")
    }

    @Test(
      "A collector that is away, silent, or talks nonsense costs nothing but its spans",
      arguments: ["away", "silent", "nonsense"])
    func away(kind: String) throws {
      let origin = try Self.answering()
      let other = try ScriptedOrigin(
        kind == "silent" ? [.expectEnd] : [.expectRequest, .send(Array("lamps\r\n\r\n".utf8)), .close])
      let url = kind == "away" ? "http://127.0.0.1:1" : other.url("")
      let proxy = try TapelineProcess(["--otlp", url], environment: ["OTEL_EXPORTER_OTLP_TIMEOUT": "400"])
      for number in 0..<20 {
        let answer = try proxy.curl(["-w", "%{http_code}", origin.url("/\(number)")])
        #expect(answer.outputText == "a lamp\n200")
      }
      #expect(try proxy.stop() == .exited(0))
      let log = try RecordedLog(contentsOf: proxy.harPath)
      #expect(log.entries.count == 20)
      let line = try #require(proxy.process.errorText.split(separator: "\n").last)
      #expect(line.contains("0 of ") && line.contains(" of 20 exchanges sent to "), "\(line)")
      let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(line.contains("\(numbers[1]) dropped: "), "\(line)")
    }

    @Test("A file whose spans nobody takes is reported, with the exit status 69")
    func fileToNobody() throws {
      let origin = try Self.answering()
      let recording = try recording { proxy in _ = try proxy.curl([origin.url("/a")]) }
      let export = try TestProcess(
        TapelineProcess.binary, ["export", "otlp", recording.proxy.harPath, "--otlp", "http://127.0.0.1:1"],
        environment: ["OTEL_EXPORTER_OTLP_TIMEOUT": "100"])
      #expect(try export.wait() == .exited(69))
      #expect(export.errorText.contains("spans did not arrive: "), "\(export.errorText)")
      #expect(export.errorText.contains("export again"), "\(export.errorText)")
    }

    @Test("Settings that cannot work are refused before anything is recorded")
    func refusesSettings() throws {
      let directory = try TemporaryDirectory()
      for (url, environment, message) in [
        ("collector:4318", [:], "it is not the URL of a collector"),
        ("http://c.example", ["OTEL_EXPORTER_OTLP_HEADERS": "a b=c"], "has characters that no field may have"),
        ("http://c.example/a b", [:], "no request can be made of the URL"),
        ("env", ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], "tapeline speaks http/protobuf, not grpc"),
      ] {
        let record = try TestProcess(
          TapelineProcess.binary, ["record", "-o", directory.path("a.har"), "--otlp", url], environment: environment)
        #expect(try record.wait() == .exited(64))
        #expect(record.errorText.contains(message), "\(record.errorText)")
        #expect(!fileExists(directory.path("a.har")))
      }
    }
  }
}
