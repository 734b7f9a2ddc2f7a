import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The metrics of recordings, as `opentelemetry-proto` reads them.
  @Suite struct OTLPMetrics {
    private static func lamps() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/missing")
              ? .response("404 Not Found", body: Array("no\n".utf8)) : .response(body: Array("a lamp\n".utf8))
          }
        ])
      ])
    }

    @Test("Durations and sizes arrive by the conventions, and add up to what the log has")
    func conventions() throws {
      let origin = try Self.lamps()
      let collector = try Collector()
      let recording = try recording(["--otlp", collector.url, "--otlp-metrics"]) { proxy in
        for _ in 0..<20 { _ = try proxy.curl([origin.url("/a")]) }
        _ = try proxy.curl([origin.url("/missing")])
        _ = try proxy.curl(["--data", "four", origin.url("/b")])
      }
      #expect(
        recording.proxy.process.errorText.contains("; metrics sent 1 time, 0 in vain"), "\(recording.proxy.process.errorText)")
      let points = try collector.points()
      #expect(points.allSatisfy { $0["unknown"] == .number(0) && $0["temporality"] == .number(2) && $0["within"] == .bool(true) })
      #expect(points.allSatisfy { $0["count"] == $0["buckets"] && $0["resource"]?["service.name"] == .string("tapeline") })
      func point(_ name: String, _ status: Double, _ method: String = "GET") throws -> JSONTree {
        try #require(
          points.first {
            $0["name"] == .string(name) && $0["attributes"]?["http.response.status_code"] == .number(status)
              && $0["attributes"]?["http.request.method"] == .string(method)
          })
      }
      let durations = try point("http.client.request.duration", 200)
      #expect(durations["unit"] == .string("s"))
      #expect(durations["count"] == .number(20))
      #expect(durations["attributes"]?["server.address"] == .string("127.0.0.1"))
      #expect(durations["attributes"]?["server.port"] == .number(Double(origin.port)))
      #expect(durations["attributes"]?["network.protocol.version"] == .string("1.1"))
      #expect(durations["attributes"]?["error.type"] == nil)
      // The durations of the metrics are those of the spans, without the time of client and proxy.
      let spans = try collector.spans().filter { $0.isExchange && $0["http.response.status_code"] == .number(200) }
      let sum = spans.filter { $0.name == "GET" }.reduce(0.0) { sum, span in
        let others = ["tapeline.client.time", "tapeline.proxy.time"].compactMap { span[$0]?.number }.reduce(0, +)
        return sum + (Double(span.end - span.start) - others) / 1e9
      }
      let measured = try #require(durations["sum"]?.number)
      #expect(abs(measured - sum) < 1e-6)
      #expect(try point("http.client.request.duration", 404)["attributes"]?["error.type"] == .string("404"))
      #expect(try point("http.client.response.body.size", 200)["sum"] == .number(20 * 7))
      #expect(try point("http.client.request.body.size", 200, "POST")["sum"] == .number(4))
    }

    @Test("A collector without metrics gets its spans, and the last line says what it refused")
    func refused() throws {
      let origin = try Self.lamps()
      let collector = try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/v1/metrics") ? Collector.response("404 Not Found") : Collector.taken
          }
        ])
      ])
      let recording = try recording(["--otlp", "http://\(collector.authority)", "--otlp-metrics"]) { proxy in
        _ = try proxy.curl([origin.url("/a")])
      }
      let text = recording.proxy.process.errorText
      #expect(text.contains(" of 1 exchange sent to "), "\(text)")
      #expect(text.contains("; metrics sent 0 times, 1 in vain: it answers 404"), "\(text)")
    }
  }
}
