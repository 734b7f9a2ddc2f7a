import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Large bodies and streams, most of which the program does not look at: every byte arrives, and everything is accounted for.
  @Suite struct Bulk {
    private static let size = 64 << 20
    /// A prime number of bytes without a pattern, again and again: a lost, repeated or moved block shows.
    private static let content: [UInt8] = {
      let piece = patternedBytes(1_048_583)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(size + piece.count)
      while bytes.count < size { bytes += piece }
      bytes.removeLast(bytes.count - size)
      return bytes
    }()

    private func get(_ url: String) -> String {
      "GET \(url) HTTP/1.1\r\nHost: x\r\n\r\n"
    }

    /// The program's open files, less those of a connection that is about to be accepted or was just closed.
    private func pipes(of proxy: TapelineProcess) throws -> Int {
      let count = try TestProcess("sh", ["-c", "ls -l /proc/\(proxy.process.id)/fd | grep -c 'pipe:' || true"])
      try count.wait()
      return try #require(Int(count.outputText.trimmingPrefix(" ").prefix { $0.isNumber }))
    }

    /// Waits for the program to give its pipes back.
    private func waitForPipes(_ count: Int, of proxy: TapelineProcess) throws -> Bool {
      let deadline = Deadline.after(seconds: 10)
      while !deadline.hasPassed {
        if try pipes(of: proxy) == count { return true }
      }
      return false
    }

    @Test("The connection goes on after a large body, and the entries have their sizes and phases")
    func aConnectionGoesOn() throws {
      let origin = try ScriptedOrigin([
        .expectRequest, .respond(body: Self.content), .expectRequest, .respond(body: "small"), .expectRequest,
        .respond(body: Self.content), .expectEnd,
      ])
      let recording = try recording { proxy in
        let before = try pipes(of: proxy)
        let client = try proxy.connect()
        for (path, body) in [("/one", Self.content), ("/two", Array("small".utf8)), ("/three", Self.content)] {
          try client.send(get(origin.url(path)))
          #expect(try client.receiveResponse().body == body)
        }
        #expect(try waitForPipes(before, of: proxy))
        client.close()
      }
      #expect(origin.connections.count == 1)
      for (path, size) in [("/one", Self.size), ("/two", 5), ("/three", Self.size)] {
        let entry = try recording.entry(path)
        #expect(entry.responseBodySize == size && entry.contentSize == size)
        #expect(entry.error == nil)
        #expect(entry.phase("receive") >= 0 && entry.phase("wait") >= 0)
        #expect(entry.tree["_chunks"] == nil)
      }
    }

    @Test("A reader that stops and goes on gets every byte, and costs little", arguments: [false, true])
    func stopAndGo(isTunnel: Bool) throws {
      let origin = try ScriptedOrigin([
        isTunnel ? .expect(bytes: 2) : .expectRequest, isTunnel ? .send(Self.content) : .respond(body: Self.content), .expectEnd,
      ])
      let recording = try recording { proxy in
        let before = try pipes(of: proxy)
        let client = try proxy.connect()
        try client.limitReceiveBuffer(to: 65_536)
        if isTunnel {
          try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          #expect(try client.receiveResponse(to: "CONNECT").status == 200)
          try client.send("go")
        } else {
          try client.send(get(origin.url("/slow")))
          #expect(try client.receiveHead().status == 200)
        }
        let resident = try #require(proxy.process.memory).resident
        var received: [UInt8] = []
        for piece in [1, 1 << 20, 3, 5 << 20, 1 << 16] { received += try client.receive(exactly: piece) }
        let grown = try #require(proxy.process.memory).resident - resident
        #expect(grown < 8 * 1024, "KiB")
        #expect(try waitForPipes(before + 2, of: proxy), "what the client does not take waits in a pipe")
        received += try client.receive(exactly: Self.size - received.count)
        #expect(received == Self.content)
        client.close()
      }
      let entry = try #require(recording.entries.first)
      if isTunnel {
        #expect(entry.tree["_tunnel"]?["toClient"]?.integer == Self.size)
        #expect(entry.tree["_tunnel"]?["toServer"]?.integer == 2)
      } else {
        #expect(entry.responseBodySize == Self.size)
      }
      #expect(entry.error == nil)
    }

    @Test("Both directions of a tunnel carry large amounts at once")
    func bothWays() throws {
      let origin = try ScriptedOrigin([.send(Self.content), .expect(bytes: Self.size), .halfClose, .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.connect()
        try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse(to: "CONNECT").status == 200)
        #expect(try client.receive(exactly: Self.size) == Self.content)
        try client.send(Self.content)
        try client.halfClose()
        #expect(try client.receiveToEnd().bytes == [])
      }
      #expect(origin.connections.first?.received == Self.content)
      let tunnel = recording.entries.first?.tree["_tunnel"]
      #expect(tunnel?["toClient"]?.integer == Self.size && tunnel?["toServer"]?.integer == Self.size)
    }

    @Test("A body that ends at the limit of what is kept is whole; one byte more is not", arguments: [0, 1, 400_000])
    func theLimit(excess: Int) throws {
      let limit = 1_000_000
      let body = [UInt8](repeating: 97, count: limit + excess)
      let answer = OriginStep.answer { request in
        .response(body: request.body.isEmpty ? body : Array("\(request.body.count)".utf8))
      }
      let origin = try ScriptedOrigin([.forever([answer])])
      let recording = try recording(["--max-body", "\(limit)"]) { proxy in
        let client = try proxy.connect()
        try client.send(get(origin.url("/down")))
        #expect(try client.receiveResponse().body == body)
        try client.send("PUT \(origin.url("/up")) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n")
        try client.send(body)
        #expect(try client.receiveResponse(to: "PUT").body == Array("\(body.count)".utf8))
        client.close()
      }
      let down = try recording.entry("/down")
      #expect(down.responseBodySize == body.count)
      #expect(down.tree["response"]?["content"]?["size"]?.integer == body.count)
      let up = try recording.entry("/up")
      #expect(up.requestBodySize == body.count)
    }

    @Test("An origin that resets in the middle breaks the response off, and its bytes are counted")
    func theOriginResets() throws {
      let part = Array(Self.content.prefix(16 << 20))
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(Self.size)\r\n\r\n".utf8)
      let origin = try ScriptedOrigin([.expectRequest, .send(head + part), .reset])
      let recording = try recording { proxy in
        let before = try pipes(of: proxy)
        let client = try proxy.request(get(origin.url("/broken")))
        #expect(try client.receiveHead().status == 200)
        let rest = try client.receiveToEnd().bytes
        #expect(rest.count <= part.count && rest == Array(part.prefix(rest.count)))
        #expect(try waitForPipes(before, of: proxy))
      }
      let entry = try recording.entry("/broken")
      #expect(entry.error != nil)
      #expect(try #require(entry.responseBodySize) <= part.count)
    }

    @Test("A client that resets in the middle ends the exchange alone", arguments: [false, true])
    func theClientResets(isTunnel: Bool) throws {
      let origin = try ScriptedOrigin([
        .forever([isTunnel ? .expect(bytes: 2) : .expectRequest, isTunnel ? .send(Self.content) : .respond(body: Self.content)])
      ])
      let recording = try recording { proxy in
        let before = try pipes(of: proxy)
        let client = try proxy.connect()
        if isTunnel {
          try client.send("CONNECT \(origin.authority) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
          #expect(try client.receiveResponse(to: "CONNECT").status == 200)
          try client.send("go")
        } else {
          try client.send(get(origin.url("/left")))
        }
        _ = try client.receive(exactly: 8 << 20)
        client.reset()
        #expect(try waitForPipes(before, of: proxy))
        if !isTunnel {
          let other = try proxy.request(get(origin.url("/other")))
          #expect(try other.receiveResponse().body == Self.content)
          other.close()
        }
      }
      #expect(recording.entries.count == (isTunnel ? 1 : 2))
      if !isTunnel {
        #expect(try recording.entry("/left").error != nil)
        #expect(try recording.entry("/other").error == nil)
      }
    }
  }
}
