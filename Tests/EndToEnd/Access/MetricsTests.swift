import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `/metrics`, read by the rules of its format, and compared with what was done.
  @Suite struct Metrics {
    private static func scrape(_ proxy: TapelineProcess, sourceLocation: SourceLocation = #_sourceLocation) throws
      -> ExpositionFormat
    {
      let client = try proxy.request("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
      let page = try client.receiveResponse()
      #expect(page.status == 200, sourceLocation: sourceLocation)
      #expect(page.value(of: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8", sourceLocation: sourceLocation)
      let metrics = ExpositionFormat(page.bodyText)
      #expect(metrics.violations == [], sourceLocation: sourceLocation)
      return metrics
    }

    /// Scrapes until what is counted on other threads is there.
    private static func scrape(
      _ proxy: TapelineProcess, until isThere: (ExpositionFormat) -> Bool
    ) throws -> ExpositionFormat {
      let deadline = Deadline.after(seconds: 10)
      while true {
        let metrics = try scrape(proxy)
        if isThere(metrics) || deadline.hasPassed { return metrics }
      }
    }

    @Test("Prometheus 0.0.4: the page keeps the rules of its format, and says what was done")
    func countsWhatWasDone() throws {
      let origin = try ScriptedOrigin([
        .forever([.answer { .response($0.startLine.contains("missing") ? "404 Not Found" : "200 OK", body: $0.body) }])
      ])
      _ = try recording { proxy in
        let first = try Self.scrape(proxy)
        #expect(first.value("tapeline_requests_total") == 1, "this very one")
        #expect(first.value("tapeline_client_connections") == 1)
        #expect(first.value("tapeline_recorder_dropped_total", ["what": "exchange"]) == 0)

        let client = try proxy.connect()
        for number in 1...5 {
          let body = String(repeating: "x", count: number * 100)
          try client.send(
            "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
          #expect(try client.receiveResponse(to: "POST").status == 200)
        }
        try client.send("GET \(origin.url("/missing")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 404)
        for _ in 0..<3 {
          try client.send("GET http://127.0.0.1:1/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
          #expect(try client.receiveResponse().status == 502)
        }
        #expect(try proxy.request("GET / HTTP/1.1\r\n\r\n").receiveResponse().status == 400)
        let tunnel = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try tunnel.receiveResponse(to: "CONNECT").status == 200)

        // The first scrape, six answers, three failures and the malformed request have ended; the tunnel has not.
        let second = try Self.scrape(proxy) {
          ($0.value("tapeline_exchanges_total") ?? 0) >= 11 && $0.value("tapeline_client_connections") == 3
        }
        #expect(second.regressions(since: first) == [])
        #expect(second.value("tapeline_tunnels_open") == 1)
        #expect(second.value("tapeline_tunnels_total") == 0)
        #expect(second.value("tapeline_failures_total", ["kind": "refused"]) == 3)
        #expect(second.families["tapeline_failures_total"]?.samples.map(\.value).reduce(0, +) == 4, "and the malformed one")
        #expect(second.value("tapeline_responses_total", ["class": "4xx"]) == 2, "the origin's and ours")
        #expect(second.value("tapeline_body_bytes_total", ["direction": "to_server"]) == 1_500)
        #expect((second.value("tapeline_body_bytes_total", ["direction": "to_client"]) ?? 0) >= 1_500)
        #expect(
          second.value("tapeline_client_connections") == 3, "the client's, the tunnel's and the scrape's, and nobody else's")
        let lags = second.families["tapeline_loop_lag_seconds"]?.samples ?? []
        #expect(!lags.isEmpty && lags.allSatisfy { (0..<60).contains($0.value) })
        let count = try #require(second.value("tapeline_exchange_duration_seconds_count"))
        #expect(count == 6, "the answers of servers")
        #expect(second.value("tapeline_exchange_duration_seconds_bucket", ["le": "60.0"]) == count)
        #expect(try #require(second.value("tapeline_recorder_queue_limit_bytes")) > 0)
        #expect(second.value("tapeline_recorder_lost_total") == 0)
        #expect(second.value("tapeline_log_files") == 1)

        tunnel.close()
        let third = try Self.scrape(proxy) { $0.value("tapeline_tunnels_total") == 1 }
        #expect(third.regressions(since: second) == [])
        #expect(third.value("tapeline_tunnels_total") == 1 && third.value("tapeline_tunnels_open") == 0)
      }
    }

    @Test("What is under way is in flight, and no longer when it has ended")
    func inFlight() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond(body: "at last"), .expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nContent-Length: 2\r\n\r\nh")
        let before = try Self.scrape(proxy) { $0.value("tapeline_requests_in_flight") == 2 }
        #expect(before.value("tapeline_requests_in_flight") == 2, "the client's and this one")
        try client.send("i")
        #expect(try client.receiveResponse().bodyText == "at last")
        let after = try Self.scrape(proxy) { $0.value("tapeline_requests_in_flight") == 1 }
        #expect(after.value("tapeline_requests_in_flight") == 1)
      }
    }
  }
}
