import TapelineTestSupport
import Testing

extension EndToEnd {
  /// The spans of recordings and of files, as `opentelemetry-proto` reads them.
  @Suite struct OTLPModel {
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

    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A recording's exchanges arrive with their phases and connections, and again, the same, from its file")
    func recordingAndFile() throws {
      let origin = try Self.lamps()
      let collector = try Collector()
      let recording = try recording(["--otlp", collector.url]) { proxy in
        _ = try proxy.curl([origin.url("/a"), origin.url("/missing"), "-o", "/dev/null", "-o", "/dev/null"])
        _ = try proxy.curl(["-H", "traceparent: \(Self.parent)", "-H", "tracestate: a=1", "--data", "on", origin.url("/b")])
      }
      let spans = try collector.spans()
      expectModel(spans, of: recording.log)
      let page = try #require(spans.first { $0.isExchange && $0.parent.isEmpty })
      let missing = try #require(spans.first { $0["http.response.status_code"] == .number(404) })
      #expect(missing.name == "GET")
      #expect(missing["url.full"] == .string(origin.url("/missing")))
      #expect(missing["server.address"] == .string("127.0.0.1"))
      #expect(missing["server.port"] == .number(Double(origin.port)))
      #expect(missing["network.peer.address"] == .string("127.0.0.1"))
      #expect(missing["network.protocol.version"] == .string("1.1"))
      #expect(missing["error.type"] == .string("404"))
      #expect(missing.tree["status"] == .number(2))
      #expect(missing["tapeline.page.title"] == .string("tapeline record"))
      #expect(missing.tree["resource"]?["service.name"] == .string("tapeline"))
      #expect(missing.tree["flags"] == .number(0x101))

      // The application's request hangs below the application's span, and its phases with it.
      let called = try #require(spans.first { $0.name == "POST" })
      #expect(called.trace == "4bf92f3577b34da6a3ce929d0e0e4736")
      #expect(called.parent == "00f067aa0ba902b7")
      #expect(called.tree["state"] == .string("a=1"))
      #expect(called.tree["flags"] == .number(0x301))
      #expect(called["http.request.body.size"] == .number(2))

      // Two exchanges share a connection; each is linked to it.
      let setups = spans.filter { $0.name == "HTTP connection_setup" }
      #expect(setups.count == 2)
      #expect(Set(spans.filter(\.isExchange).compactMap(\.link)) == Set(setups.map(\.id)))
      #expect(setups.allSatisfy { $0.trace == page.trace && $0.parent.isEmpty })
      for setup in setups {
        #expect(spans.filter { $0.parent == setup.id }.map(\.name) == ["socket connect"])
      }

      // The collector was spoken to directly, in gzip; none of it is in the log.
      #expect(collector.origin.requests.allSatisfy { $0.startLine == "POST /v1/traces HTTP/1.1" })
      #expect(collector.origin.requests.allSatisfy { $0.value(of: "content-encoding") == "gzip" })
      #expect(collector.origin.requests.allSatisfy { $0.value(of: "content-type") == "application/x-protobuf" })
      #expect(
        recording.proxy.process.errorText.contains("\(spans.count) spans of 3 exchanges sent to \(collector.url)/v1/traces"))

      let again = try Collector()
      let export = try TestProcess(TapelineProcess.binary, ["export", "otlp", recording.proxy.harPath, "--otlp", again.url])
      #expect(try export.wait() == .exited(0), "\(export.errorText)")
      #expect(Set(try again.spans().map(\.portable)) == Set(spans.map(\.portable)))
    }

    @Test("Behind TLS, a connection is a lookup, a connect and a handshake, and the waits of a tunnel are phases")
    func secure() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      let collector = try Collector()
      let run = try RunRecording(
        trusting: authority, options: ["--otlp", collector.url],
        ["curl", "-sS", server.tlsURL("/hello.txt"), server.tlsURL("/hello.txt")])
      let spans = try collector.spans()
      expectModel(spans, of: run.log)
      let setup = try #require(spans.first { $0.name == "HTTP connection_setup" })
      let steps = spans.filter { $0.parent == setup.id }
      #expect(steps.map(\.name) == ["DNS lookup", "socket connect", "TLS handshake"])
      #expect(steps[0]["dns.question.name"] == .string("localhost"))
      #expect(steps[2]["tls.protocol.version"] == .string("1.3"))
      let exchanges = spans.filter(\.isExchange)
      #expect(exchanges.allSatisfy { $0.link == setup.id })
      let first = try #require(exchanges.min { $0.start < $1.start })
      let names = spans.filter { $0.parent == first.id }.map(\.name)
      // The request goes in one piece, and the response may come in one: then neither takes time.
      #expect(names.filter { !["blocked", "send", "receive"].contains($0) } == ["dns", "connect", "ssl", "wait"])
      #expect(names.count { $0 == "blocked" } >= 2, "\(names)")
    }

    @Test("Secrets are replaced before the export, also where the log keeps them")
    func redacts() throws {
      let origin = try Self.lamps()
      let collector = try Collector()
      let secret = "hunter2-hunter2-1234"
      let recording = try recording(["--no-redact", "--otlp", collector.url]) { proxy in
        _ = try proxy.curl(["-u", "me:\(secret)", "-H", "traceparent: \(Self.parent)", origin.url("/a?access_token=\(secret)")])
      }
      #expect(try readText(recording.proxy.harPath).contains(secret))
      let again = try Collector()
      let export = try TestProcess(TapelineProcess.binary, ["export", "otlp", recording.proxy.harPath, "--otlp", again.url])
      #expect(try export.wait() == .exited(0), "\(export.errorText)")
      for spans in [try collector.spans(), try again.spans()] {
        let span = try #require(spans.first { $0.isExchange })
        #expect(span["url.full"]?.string?.contains("access_token=SENSITIVE_") == true, "\(span.tree)")
        #expect(span.parent == "00f067aa0ba902b7")
        #expect(!"\(spans)".contains(secret))
      }
      #expect(try collector.spans().map(\.id) == again.spans().map(\.id))
    }

    @Test("A failed connection is a failed span with the failure's kind")
    func failures() throws {
      let collector = try Collector()
      _ = try recording(["--otlp", collector.url]) { proxy in
        _ = try proxy.curl(["http://127.0.0.1:1/"])
      }
      let spans = try collector.spans()
      for name in ["GET", "HTTP connection_setup", "socket connect"] {
        let span = try #require(spans.first { $0.name == name })
        #expect(span["error.type"] == .string("refused"), "\(name)")
        #expect(span.tree["status"] == .number(2))
      }
    }

    @Test("Logs of other programs are exported, too; pages are traces, and connections with one name are told apart")
    func foreign() throws {
      let directory = try TemporaryDirectory()
      let entry = { (second: Int, page: String) in
        """
        {"pageref":"\(page)","startedDateTime":"2026-01-02T03:04:0\(second).5+01:00","time":30.5,"request":{"method":"PURGE",
        "url":"https://example.com/\(second)","httpVersion":"h3","headers":[],"queryString":[],"cookies":[],"headersSize":-1,
        "bodySize":-1},"response":{"status":200,"statusText":"","httpVersion":"h3","headers":[],"cookies":[],"content":{"size":0,
        "mimeType":""},"redirectURL":"","headersSize":-1,"bodySize":-1},"cache":{},"timings":{"blocked":1,"dns":2,"connect":20.5,
        "ssl":10.25,"send":1,"wait":5,"receive":1},"connection":"443"}
        """
      }
      let file = try directory.write(
        """
        {"log":{"version":"1.2","creator":{"name":"x","version":"1"},"pages":[
        {"startedDateTime":"2026-01-02T03:04:00Z","id":"p1","title":"one","pageTimings":{}},
        {"startedDateTime":"2026-01-02T03:04:03Z","id":"p2","title":"two","pageTimings":{}}],
        "entries":[\(entry(1, "p1")),\(entry(2, "p1")),\(entry(4, "p2"))]}}
        """, to: "foreign.har")
      let collector = try Collector()
      let export = try TestProcess(
        TapelineProcess.binary, ["export", "otlp", file],
        environment: [
          "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b",
          "OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=ci",
          "OTEL_EXPORTER_OTLP_COMPRESSION": "none", "http_proxy": "http://127.0.0.1:9",
        ])
      #expect(try export.wait() == .exited(0), "\(export.errorText)")
      #expect(collector.origin.requests[0].value(of: "x-key") == "a b")
      #expect(collector.origin.requests[0].value(of: "content-encoding") == nil)
      let spans = try collector.spans()
      let exchanges = spans.filter(\.isExchange)
      #expect(exchanges.map(\.name) == ["HTTP", "HTTP", "HTTP"])
      #expect(exchanges.allSatisfy { $0["http.request.method_original"] == .string("PURGE") })
      #expect(exchanges.allSatisfy { $0["network.protocol.version"] == .string("3") })
      #expect(exchanges.allSatisfy { $0.tree["resource"]?["service.name"] == .string("shop") })
      #expect(exchanges.allSatisfy { $0.tree["resource"]?["deployment.environment.name"] == .string("ci") })
      #expect(exchanges[0].trace == exchanges[1].trace && exchanges[1].trace != exchanges[2].trace)
      #expect(Set(exchanges.compactMap(\.link)).count == 3)
      #expect(exchanges[0].start == 1_767_319_441_500_000_000)
      #expect(exchanges[0].end - exchanges[0].start == 30_500_000)
      #expect(Set(spans.map(\.id)).count == spans.count)
    }
  }
}
