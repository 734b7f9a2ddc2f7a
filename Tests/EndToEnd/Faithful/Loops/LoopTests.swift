import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Rule 1, its other side: without `Via`, loops are still found, and at once.
  @Suite struct Loops {
    /// What a storm would be: more entries than anybody asked for.
    private func entries(of processes: [TapelineProcess], sourceLocation: SourceLocation = #_sourceLocation) throws
      -> [[RecordedEntry]]
    {
      try processes.map { process in
        #expect(try process.stop() == .exited(0), "\(process.process.errorText)", sourceLocation: sourceLocation)
        return try RecordedLog(contentsOf: process.harPath).entries
      }
    }

    @Test(
      "To ourselves, by address or by name, leads nowhere: our own pages, or a loop",
      arguments: ["127.0.0.1", "localhost", "LOCALHOST", "127.1", "0.0.0.0"])
    func ourselves(_ host: String) throws {
      let recording = try recording { proxy in
        for request in ["GET http://\(host):\(proxy.port)/round", "CONNECT \(host):\(proxy.port)"] {
          let client = try proxy.request("\(request) HTTP/1.1\r\nHost: \(host):\(proxy.port)\r\n\r\n")
          let response = try client.receiveResponse()
          // By a name of ours it is for our own pages, of which this is none.
          let isOwnPage = request.hasPrefix("GET") && ["127.0.0.1", "localhost"].contains(host.lowercased())
          #expect(response.status == (isOwnPage ? 404 : 508), "\(request)")
          #expect(isOwnPage || response.value(of: "Proxy-Status") == "tapeline; error=proxy_loop_detected", "\(request)")
        }
      }
      #expect(recording.entries.count == 2, "nothing has gone round")
    }

    @Test("To ourselves through a second listener leads nowhere")
    func secondListener() throws {
      let port = try freePorts(1)[0]
      let recording = try recording(["--listen", "127.0.0.1:\(port)"]) { proxy in
        let client = try proxy.request("CONNECT localhost:\(port) HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.status == 508)
      }
      #expect(recording.entries.count == 1)
    }

    @Test("In a circle of proxies a request comes round once", arguments: [2, 3])
    func circle(_ count: Int) throws {
      let ports = try freePorts(count)
      let proxies = try ports.indices.map { index in
        try TapelineProcess([
          "--listen", "127.0.0.1:\(ports[index])", "--upstream-proxy", "http://127.0.0.1:\(ports[(index + 1) % count])",
        ])
      }
      let plain = try proxies[0].request("GET http://origin.test/round HTTP/1.1\r\nHost: origin.test\r\n\r\n").receiveResponse()
      #expect(plain.status == 508)
      let tunnel = try proxies[0].request("CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\n\r\n").receiveResponse()
      #expect([502, 508].contains(tunnel.status))
      let entries = try entries(of: proxies)
      #expect(entries[0].count == 4, "each was there twice: \(entries.map(\.count))")
      #expect(entries.dropFirst().allSatisfy { $0.count == 2 }, "\(entries.map(\.count))")
      #expect(entries.flatMap { $0 }.count { $0.error?["kind"]?.string == "loop-detected" } >= 2)
    }

    @Test("A circle is found behind a proxy that is none of it")
    func behindAnother() throws {
      let ports = try freePorts(2)
      let first = try TapelineProcess(["--listen", "127.0.0.1:\(ports[0])", "--upstream-proxy", "http://127.0.0.1:\(ports[1])"])
      let second = try TapelineProcess(["--listen", "127.0.0.1:\(ports[1])", "--upstream-proxy", "http://127.0.0.1:\(ports[0])"])
      let outside = try TapelineProcess(["--upstream-proxy", "http://127.0.0.1:\(ports[0])"])
      let response = try outside.request("GET http://origin.test/round HTTP/1.1\r\nHost: origin.test\r\n\r\n").receiveResponse()
      #expect(response.status == 508)
      let counts = try entries(of: [outside, first, second]).map(\.count)
      #expect(counts == [1, 2, 1], "\(counts)")
    }

    @Test("A chain of three that is no circle is none, and what the origin gets says nothing of it")
    func chain() throws {
      let origin = try ScriptedOrigin.echo()
      let last = try TapelineProcess()
      let middle = try TapelineProcess(["--upstream-proxy", last.url])
      let first = try TapelineProcess(["--upstream-proxy", middle.url])
      let response = try first.request(origin.absoluteRequest("/x")).receiveResponse()
      #expect(response.status == 200)
      #expect(response.bodyText == "GET /x HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
      #expect(response.values(of: "Via") == [])
      let entries = try entries(of: [first, middle, last])
      #expect(entries.map(\.count) == [1, 1, 1])
      #expect(entries[0].first?.changes?.map(\.place) == ["request:via"], "said to a proxy, and listed")
      #expect(entries[2].first?.changes?.map(\.place).contains("request:via") == true, "taken away, and listed")
    }

    @Test("A Via of somebody else's goes on to the origin")
    func foreignVia() throws {
      let origin = try ScriptedOrigin.echo()
      let last = try TapelineProcess()
      let first = try TapelineProcess(["--upstream-proxy", last.url])
      let response = try first.request(origin.absoluteRequest("/x", lines: ["Via: 1.0 somebody, 1.1 else"])).receiveResponse()
      #expect(response.bodyText.contains("\r\nVia: 1.0 somebody, 1.1 else\r\n"))
      #expect(!response.bodyText.contains("tapeline"))
      _ = try entries(of: [first, last])
    }

    @Test("nginx compresses for us as for anybody, and not with --via", arguments: [0, 1, 2])
    func compression(inner: Int) throws {
      let server = try NginxServer(directives: "gzip_proxied off;")
      let text = Array(String(repeating: "the same again\n", count: 3000).utf8)
      try server.serve(text, as: "text.txt")
      func coding(_ options: [String]) throws -> String? {
        var chain = [try TapelineProcess(options)]
        for _ in 0..<inner { chain.append(try TapelineProcess(["--upstream-proxy", chain[chain.count - 1].url])) }
        let client = try chain[chain.count - 1].connect()
        try client.send(
          "GET \(server.url("/text.txt")) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAccept-Encoding: gzip\r\n\r\n")
        let response = try client.receiveResponse()
        _ = try entries(of: chain.reversed())
        return response.value(of: "Content-Encoding")
      }
      #expect(try coding([]) == "gzip")
      #expect(try coding(["--via"]) == nil, "that is what the switch is for")
    }

    @Test("--via says it both ways, and the entry lists it")
    func via() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording(["--via"]) { proxy in
        let response = try proxy.request(origin.absoluteRequest("/x")).receiveResponse()
        #expect(response.bodyText.contains("\r\nVia: 1.1 tapeline"))
        #expect(response.value(of: "Via")?.hasPrefix("1.1 tapeline") == true)
      }
      let places = try #require(try recording.entry("/x").changes).map(\.place)
      #expect(places.contains("request:via") && places.contains("response:via"))
    }

    /// Ports that nobody had a moment ago.
    private func freePorts(_ count: Int) throws -> [UInt16] {
      let servers = try (0..<count).map { _ in try ScriptedOrigin([]) }
      defer { servers.forEach { $0.stop() } }
      return servers.map(\.port)
    }
  }
}
