import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Tunnels {
    @Test func carriesHTTPS() throws {
      let body = patternedOctets(1_000_000)
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

    @Test func passesOctetsThatCameWithTheHead() throws {
      let origin = try ScriptedOrigin([.expect(octets: 5), .send("early"), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\nhello")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        #expect(try client.receive(exactly: 5) == Array("early".utf8))
      }
      #expect(origin.connections.first?.receivedText == "hello")
      #expect(recording.entries.map(\.method) == ["CONNECT"])
      let octets = recording.entries.first?.tree["_tunnel"]
      #expect(octets?["toServer"]?.integer == 5)
      #expect(octets?["toClient"]?.integer == 5)
    }

    @Test func keepsTheClientsHalfClose() throws {
      // The server answers only after the client has said that it is done.
      let origin = try ScriptedOrigin([.expectEnd, .send("all of it"), .close])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        try client.send("question")
        try client.halfClose()
        let rest = try client.receiveToEnd()
        #expect(rest.octets == Array("all of it".utf8))
        #expect(rest.end == .closed)
      }
      #expect(origin.connections.first?.receivedText == "question")
      #expect(origin.connections.first?.end == .closed)
    }

    @Test func keepsTheServersHalfClose() throws {
      let origin = try ScriptedOrigin([.send("hello"), .halfClose, .expectEnd])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        #expect(try client.receiveToEnd().octets == Array("hello".utf8))
        try client.send("still here")
        try client.halfClose()
        _ = try origin.waitForFinished(1)
      }
      #expect(origin.connections.first?.receivedText == "still here")
    }

    @Test func saysWhyThereIsNone() throws {
      let recording = try recording { proxy in
        let refused = try proxy.request("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
        #expect(try refused.receiveResponse().status == 502)
        let nameless = try proxy.request("CONNECT nowhere.invalid:443 HTTP/1.1\r\nHost: nowhere.invalid:443\r\n\r\n")
        #expect(try nameless.receiveResponse().status == 502)
        let portless = try proxy.request("CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try portless.receiveResponse().status == 400)
      }
      #expect(try recording.entry("https://127.0.0.1:1/").status == 0)
      #expect(try recording.entry("https://nowhere.invalid:443/").error?["phase"]?.string == "dns")
    }

    @Test func relaysInBothDirectionsAtOnce() throws {
      let piece = 50_000
      let octets = patternedOctets(4_000_000, seed: 3)
      let origin = try ScriptedOrigin([.forever([.run { try $0.send($0.receive(exactly: piece)) }])])
      _ = try recording { proxy in
        let client = try proxy.request("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        var echo: [UInt8] = []
        // One piece is always on its way up while another comes down.
        for start in stride(from: 0, to: octets.count, by: piece) {
          try client.send(Array(octets[start..<start + piece]))
          if start > 0 { echo += try client.receive(exactly: piece) }
        }
        echo += try client.receive(exactly: piece)
        #expect(echo == octets)
      }
      #expect(origin.connections.first?.received == octets)
    }
  }
}
