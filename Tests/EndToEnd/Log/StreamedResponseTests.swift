import Dispatch
import TapelineHAR
import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Responses that come over time: when each part came is in the log, and nothing waits for it.
  @Suite struct StreamedResponses {
    @Test func serverSentEvents() throws {
      let events = (1...4).map { "data: event \($0)\n\n" }
      let chunks = events.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }
      let firstHasCome = DispatchSemaphore(value: 0)
      let origin = try ScriptedOrigin(
        [
          .expectRequest,
          .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks[0])"),
          .run { _ in _ = firstHasCome.wait(timeout: .now() + 60) },
        ] + chunks.dropFirst().flatMap { [.delay(milliseconds: 60), .send($0)] } + [.send("0\r\n\r\n")])
      let directory = try TemporaryDirectory()
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/events")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        _ = try client.receive(through: "event 1")
        // A copy has the events of a stream in flight.
        let snapshot = try proxy.control(["snapshot", "-o", directory.path("so-far.har")])
        #expect(snapshot.exitStatus == .exited(0), "\(snapshot.errorText)")
        let soFar = try TestProcess(TapelineProcess.binary, ["show", directory.path("so-far.har"), "1", "--events"])
        try soFar.wait()
        #expect(soFar.outputText.contains("- message event 1\n"), "\(soFar.outputText)")
        // The server goes on only now: nothing is held back.
        firstHasCome.signal()
        _ = try client.receive(through: "\r\n0\r\n\r\n")
      }
      let entry = try recording.entry("/events")
      #expect(entry.contentText == events.joined())
      let numbers = try #require(ArrivalText(entry.tree["_chunks"]?.string ?? "?")?.numbers)
      #expect(numbers.count >= 4, "\(numbers)")
      let sizes = stride(from: 1, to: numbers.count, by: 2).map { numbers[$0] }
      #expect(sizes.reduce(0, +) >= events.joined().utf8.count)
      let gaps = stride(from: 2, to: numbers.count, by: 2).map { numbers[$0] }
      #expect(gaps.reduce(0, +) >= 120_000, "microseconds: the server took its time")
      let show = try TestProcess(TapelineProcess.binary, ["show", recording.log.path, "1", "--events"])
      try show.wait()
      #expect(show.outputText.split(separator: "\n").count == events.count, "\(show.outputText)")
      let stats = try TestProcess(TapelineProcess.binary, ["stats", recording.log.path, "--events", "--stall", "30ms", "--json"])
      try stats.wait()
      let figures = try HARValue(json: Array(stats.outputText.utf8).span)
      #expect(figures["streams"]?.integer == 1 && figures["events"]?.integer == events.count, "\(stats.outputText)")
      #expect((figures["stalls"]?.integer ?? 0) >= 1)
      let query = "events == \(events.count) and event.first > 0ms and event.gap.max >= 40ms"
      let list = try TestProcess(TapelineProcess.binary, ["list", recording.log.path, "--csv", "--filter", query])
      try list.wait()
      #expect(list.outputText.split(whereSeparator: \.isNewline).count == 2, "\(list.outputText)")
    }

    @Test func withoutBodiesTheTimesAndTheCountsOfAModelStay() throws {
      func streaming(_ events: [String]) throws -> ScriptedOrigin {
        let pieces = events.map { String($0.utf8.count, radix: 16) + "\r\n\($0)\r\n" }
        return try ScriptedOrigin(
          [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")]
            + pieces.flatMap { [.delay(milliseconds: 60), .send($0)] } + [.send("0\r\n\r\n")])
      }
      let words = ["hush", " hush"].map { "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\($0)\"}}]}\n\n" }
      let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n"
      let (model, other) = (try streaming(words + [usage]), try streaming(["data: hush\n\n", "data: hush\n\n"]))
      let recording = try recording(["--bodies", "none"]) { proxy in
        let request = #"{"model":"tiny","stream":true,"messages":[{"role":"user","content":"hush"}]}"#
        let json = ["-H", "Content-Type: application/json", "-d", request]
        _ = try proxy.curl(json + [model.url("/v1/chat/completions")])
        _ = try proxy.curl(json + [other.url("/events")])
      }
      #expect(try !readText(recording.log.path).contains("hush"))
      let llm = try TestProcess(TapelineProcess.binary, ["llm", recording.log.path, "--json"])
      try llm.wait()
      let call = try HARValue(json: Array(llm.outputText.utf8).span)
      #expect(call["model"] == "tiny" && call["in"] == 9 && call["out"] == 2, "\(llm.outputText)\(llm.errorText)")
      #expect((call["first"]?.double ?? 0) > 0 && (call["gap.max"]?.double ?? 0) >= 40, "\(llm.outputText)")
      let events = try recording.entry("/events")
      #expect(events.contentText == nil && (ArrivalText(events.tree["_chunks"]?.string ?? "?")?.numbers.count ?? 0) >= 4)
    }

    /// An event stream in gzip, flushed after each event, with a stall before the fourth.
    private static let coded = """
      import http.server, time, zlib
      class Origin(http.server.BaseHTTPRequestHandler):
          protocol_version = "HTTP/1.1"
          def do_GET(self):
              self.send_response(200)
              for name, value in ("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"), ("Transfer-Encoding", "chunked"):
                  self.send_header(name, value)
              self.end_headers()
              coder = zlib.compressobj(9, zlib.DEFLATED, 31)
              for number in range(5):
                  time.sleep(0.25 if number == 3 else 0.02)
                  text = 'data: {"password": "hunter2-is-long", "n": %d}\\n\\n' % number
                  self.send(coder.compress(text.encode()) + coder.flush(zlib.Z_SYNC_FLUSH))
              self.send(coder.flush())
              self.wfile.write(b"0\\r\\n\\r\\n")
          def send(self, data):
              self.wfile.write(b"%x\\r\\n%s\\r\\n" % (len(data), data))
          def log_message(self, *words): pass
      server = http.server.HTTPServer(("127.0.0.1", 0), Origin)
      print("port", server.server_port, flush=True)
      server.serve_forever()
      """

    @Test func theEventsOfACodedStreamHaveTheirTimes() throws {
      let origin = try TestProcess("python3", ["-u", "-c", Self.coded])
      let port = try #require(try origin.waitForOutputLine(containing: "port ").split(separator: " ").last)
      let recording = try recording { proxy in
        _ = try proxy.curl(["-N", "--compressed", "http://127.0.0.1:\(port)/events"])
      }
      let show = try TestProcess(
        TapelineProcess.binary, ["show", recording.log.path, "1"], environment: ["LC_ALL": "C.UTF-8", "COLUMNS": "120"])
      try show.wait()
      #expect(show.outputText.contains("5 events from the server (event stream)"), "\(show.outputText)")
      #expect(show.outputText.contains("before event 4, at "), "\(show.outputText)")
      #expect(show.outputText.contains("SENSITIVE_"))
      let rules = ["min(events) == 5", "max(event.gap) >= 200ms", "min(event.first) > 0ms"]
      let checked = try TestProcess(TapelineProcess.binary, ["assert", recording.log.path] + rules)
      try checked.wait()
      #expect(checked.exitStatus == .exited(0), "\(checked.outputText)\(checked.errorText)")
    }

    @Test func theEntrySaysWhatEachLegOfTCPDid() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .respond(body: patternedBytes(300_000))])])
      let recording = try recording { proxy in
        _ = try proxy.curl([origin.url("/tcp")])
      }
      let tcp = try #require(try recording.entry("/tcp").tree["_tcp"])
      #expect(tcp != .object([:]))
    }
  }
}
