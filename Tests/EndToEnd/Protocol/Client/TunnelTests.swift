import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Tunnels {
    @Test("RFC 9110 9.3.6: a tunnel carries HTTPS untouched")
    func carriesHTTPS() throws {
      let body = patternedBytes(1_000_000)
      let server = try NginxServer()
      try server.serve(body, as: "secret.bin")
      let recording = try recording { proxy in
        let curl = try proxy.curl(["--cacert", server.certificate, server.tlsURL("/secret.bin")])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        #expect(curl.standardOutput == body)
      }
      let entry = try recording.entry(":\(server.tlsPort)/")
      #expect(entry.method == "CONNECT")
      #expect(entry.url == "https://localhost:\(server.tlsPort)/")
      #expect(entry.status == 200)
      #expect(entry.phase("dns") >= 0, "localhost is a name")
      #expect(entry.phase("connect") >= 0)
      #expect(entry.phase("ssl") == -1, "the handshake is the client's own")
    }

    @Test("RFC 9110 9.3.6: bytes that came right behind the head go through, and the 2xx has no framing")
    func passesBytesThatCameWithTheHead() throws {
      let origin = try ScriptedOrigin([.expect(bytes: 5), .send("early"), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\nhello")
        #expect(try client.receive(exactly: 44) == Array("HTTP/1.1 200 Connection established\r\n\r\nearly".utf8))
      }
      #expect(origin.connections.first?.receivedText == "hello")
      #expect(recording.entries.map(\.method) == ["CONNECT"])
      let bytes = recording.entries.first?.tree["_tunnel"]
      #expect(bytes?["toServer"]?.integer == 5)
      #expect(bytes?["toClient"]?.integer == 5)
    }

    @Test("RFC 9110 9.3.6: the client's half-close is kept")
    func keepsTheClientsHalfClose() throws {
      // The server answers only after the client has said that it is done.
      let origin = try ScriptedOrigin([.expectEnd, .send("all of it"), .close])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send("question")
        try client.halfClose()
        let rest = try client.receiveToEnd()
        #expect(rest.bytes == Array("all of it".utf8))
        #expect(rest.end == .closed)
      }
      #expect(origin.connections.first?.receivedText == "question")
      #expect(origin.connections.first?.end == .closed)
    }

    @Test("RFC 9110 9.3.6: the server's half-close is kept")
    func keepsTheServersHalfClose() throws {
      let origin = try ScriptedOrigin([.send("hello"), .halfClose, .expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        #expect(try client.receiveToEnd().bytes == Array("hello".utf8))
        try client.send("still here")
        try client.halfClose()
        _ = try origin.waitForFinished(1)
      }
      #expect(origin.connections.first?.receivedText == "still here")
    }

    @Test("RFC 9110 15.6.3: a tunnel that cannot be had is 502, with the reason")
    func saysWhyThereIsNone() throws {
      let recording = try recording { proxy in
        for (target, error) in [("127.0.0.1:1", "connection_refused"), ("nowhere.invalid:443", "dns_error")] {
          // Bytes for the tunnel are with the head, and go nowhere.
          let client = try proxy.request("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n\r\nearly")
          let response = try client.receiveResponse()
          #expect(response.status == 502)
          #expect(response.value(of: "Proxy-Status") == "tapeline; error=\(error)")
          #expect(response.value(of: "Connection") == "close")
          #expect(response.bodyText.hasPrefix("tapeline: ") && response.bodyText.contains(target.prefix { $0 != ":" }))
          #expect(try client.receiveToEnd().bytes == [])
        }
      }
      #expect(try recording.entry("https://127.0.0.1:1/").status == 0)
      #expect(try recording.entry("https://nowhere.invalid:443/").error?["phase"]?.string == "dns")
    }

    @Test("RFC 9110 9.3.6: the 2xx comes only after the upstream connection stands, and 504 when it does not in time")
    func the2xxComesAfterTheConnection() throws {
      // The kernel completes one connection that nobody accepts; the next one stays open.
      let origin = try ScriptedOrigin(backlog: 0, acceptsAtOnce: false, [.expectEnd])
      let first = try RawClient(port: origin.port)
      let recording = try recording(["--connect-timeout", "300ms"]) { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: x\r\n\r\nearly")
        let response = try client.receiveResponse()
        #expect(response.status == 504, "no 200 before it: \(response.text)")
        #expect(response.value(of: "Proxy-Status") == "tapeline; error=connection_timeout")
        #expect(try client.receiveToEnd().bytes == [])
      }
      first.close()
      #expect(recording.entries.map { $0.error?["kind"]?.string } == ["timed-out"])
    }

    @Test("RFC 9110 9.3.6: no byte from inside a tunnel is a request, in either direction")
    func nothingInATunnelIsRead() throws {
      let request = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
      let answer = "HTTP/1.1 999 \u{0}\nContent-Length: 1\r\n\r\nmore than that"
      let origin = try ScriptedOrigin([.expect(bytes: request.utf8.count), .send(answer), .close])
      let recording = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send(request)
        #expect(try client.receiveToEnd().bytes == Array(answer.utf8))
      }
      #expect(origin.connections.first?.receivedText == request)
      #expect(recording.entries.map(\.method) == ["CONNECT"])
    }

    @Test("RFC 9110 9.3.6: a tunnel relays in both directions at once")
    func relaysInBothDirectionsAtOnce() throws {
      let piece = 50_000
      let bytes = patternedBytes(4_000_000, seed: 3)
      let origin = try ScriptedOrigin([.forever([.run { try $0.send($0.receive(exactly: piece)) }])])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        var echo: [UInt8] = []
        // One piece is always on its way up while another comes down.
        for start in stride(from: 0, to: bytes.count, by: piece) {
          try client.send(Array(bytes[start..<start + piece]))
          if start > 0 { echo += try client.receive(exactly: piece) }
        }
        echo += try client.receive(exactly: piece)
        #expect(echo == bytes)
      }
      #expect(origin.connections.first?.received == bytes)
    }
  }
}
