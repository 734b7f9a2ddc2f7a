import TapelineTestSupport
import Testing

extension EndToEnd {
  /// We are not stricter than the clients: docs/conformance/leniency.md.
  @Suite struct Leniency {
    @Test("The page about leniency says what tapeline does")
    func page() throws {
      let check = try laboratory(["leniency", "--check"])
      let status = try check.wait(seconds: 120)
      #expect(status.isSuccess, "\(check.outputText)\(check.errorText)")
    }

    @Test("What two readers could understand differently is refused with an option, and read in one way with it")
    func tolerance() throws {
      let head = "HTTP/1.1 200 OK\r\nDate: now\r\n"
      let answer = "\(head)Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
      let script: [OriginStep] = [.expectRequest, .send(answer), .expectEnd]
      let refused = try relaying(script)
      #expect(refused.text.hasPrefix("HTTP/1.1 502 "))
      #expect(refused.entry.error?["origin"]?.string == "upstream")
      #expect(refused.entry.error?["option"]?.string == "--tolerate both-framings")
      let passed = try relaying(script, options: ["--tolerate", "both-framings"])
      #expect(passed.text == "\(head)Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\n\r\n")
      #expect(passed.entry.error == nil)
      let changes = passed.entry.tree["_changes"]?.elements ?? []
      #expect(changes.contains { $0["change"]?.string == "removed" && $0["name"]?.string == "Content-Length" })
    }

    @Test("A limit of ours is ours and has an option, for the number of fields too")
    func fieldCount() throws {
      let fields = (0..<250).map { "X-\($0): v\r\n" }.joined()
      let script: [OriginStep] = [.expectRequest, .send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: 0\r\n\r\n"), .expectEnd]
      #expect(try relaying(script).text.hasPrefix("HTTP/1.1 200 OK\r\n\(fields)"))
      let error = try relaying(script, options: ["--max-header-fields", "200"]).entry.error
      #expect(error?["origin"]?.string == "local")
      #expect(error?["option"]?.string == "--max-header-fields")
    }

    // MARK: https in absolute-form

    @Test("A client that asks the proxy for an https URL gets it: tapeline speaks TLS to the origin, and the entry says so")
    func secureAbsoluteForm() throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("secure".utf8), as: "a.txt")
      let recording = try recording(["--upstream-ca", authority.certificate]) { proxy in
        let client = try proxy.connect()
        for _ in 1...2 {
          try client.send("GET \(server.tlsURL("/a.txt")) HTTP/1.1\r\nHost: localhost:\(server.tlsPort)\r\n\r\n")
          #expect(try client.receiveResponse().bodyText == "secure")
        }
      }
      let entry = try #require(recording.entries.first)
      expectDecrypted(entry)
      #expect(entry.comment?.contains("https:// URL to the proxy in clear") == true, "\(entry.tree)")
      #expect(recording.entries.map(\.url) == [server.tlsURL("/a.txt"), server.tlsURL("/a.txt")])
      #expect(Set(recording.entries.map(\.connectionID)).count == 1, "the second request finds the connection")
    }

    @Test("Its rules are those of CONNECT: a server that is not trusted, hosts that are denied, loops, upstream proxies")
    func secureAbsoluteFormRules() throws {
      let server = try NginxServer(identity: TestAuthority().issue())
      func status(_ options: [String], _ url: (TapelineProcess) -> String) throws -> Int {
        var status = 0
        _ = try recording(options) { proxy in
          status = try proxy.request("GET \(url(proxy)) HTTP/1.1\r\nHost: x\r\n\r\n").receiveResponse().status
        }
        return status
      }
      #expect(try status([]) { _ in server.tlsURL("/") } == 502)
      #expect(try status(["--deny-host", "localhost"]) { _ in server.tlsURL("/") } == 403)
      #expect(try status([]) { "https://127.0.0.1:\($0.port)/" } == 508)
      let upstream = try ScriptedOrigin([.expectHead, .send("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), .expectEnd])
      #expect(try status(["--upstream-proxy", "http://\(upstream.authority)"]) { _ in "https://a.example/" } == 502)
      #expect(upstream.connections.first?.receivedText.hasPrefix("CONNECT a.example:443 HTTP/1.1\r\n") == true)
    }

    // MARK: Names of the loopback

    @Test("RFC 6761 6.3: names below localhost are this machine, whichever way a client comes")
    func namesBelowLocalhost() throws {
      let origin = try ScriptedOrigin.echo()
      let host = "app.dev.localhost:\(origin.port)"
      let recording = try recording(["--reverse", "http://\(host)"]) { proxy in
        for (number, arguments) in [
          ["-x", "http://127.0.0.1:\(proxy.port)"], ["-p", "-x", "http://127.0.0.1:\(proxy.port)"],
          ["-x", "socks5h://127.0.0.1:\(proxy.port)"],
        ].enumerated() {
          let curl = try TestProcess("curl", ["-sS", "--max-time", "20"] + arguments + ["http://\(host)/\(number)"])
          try curl.wait()
          #expect(curl.outputText.hasPrefix("GET /\(number) HTTP/1.1\r\n"), "\(arguments): \(curl.errorText)")
        }
      }
      #expect(recording.entries.allSatisfy { $0.error == nil })
      let guarded = try recording.entries.map { try #require($0.tree["serverIPAddress"]?.string) }
      #expect(guarded.allSatisfy { $0 == "127.0.0.1" || $0 == "::1" })
    }

    @Test("RFC 9112 2.2: CONNECT may end its lines with LF, and be HTTP/1.0: nobody else reads its head")
    func plainConnect() throws {
      let origin = try ScriptedOrigin.echo()
      let recording = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.0\n\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
      let anomalies = recording.entries.first?.tree["_anomalies"]?.elements.compactMap(\.string)
      #expect(anomalies == ["A line of the request head ended with a bare LF (RFC 9112 2.2)."])
    }

    @Test("A host in UTF-8 goes on as it came, and a name that nobody knows fails as such")
    func hostInUTF8() throws {
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://b\u{fc}cher.invalid/ HTTP/1.1\r\nHost: b\u{fc}cher.invalid\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
      let entry = try #require(recording.entries.first)
      #expect(entry.url == "http://b%C3%BCcher.invalid/")
      #expect(["name-not-found", "resolver-failure"].contains(entry.error?["kind"]?.string))
    }
  }
}
