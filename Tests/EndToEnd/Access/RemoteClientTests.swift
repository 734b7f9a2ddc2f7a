import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What clients of other machines may be taken to. Here they come from this machine, by an address that is not loopback.
  @Suite(.enabled(if: RemoteProxy.isPossible, "this machine has loopback only"))
  struct RemoteClients {
    private static func answering(_ body: String = "for this machine only") throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.expectRequest, .respond(body: body)])])
    }

    @Test("RFC 9209 2.3.5: nobody from another machine is taken to what only this machine can reach")
    func protectedDestinations() throws {
      let origin = try Self.answering()
      let own = try #require(InterfaceAddress.first).host
      let hosts = [
        "127.0.0.1", "localhost", "LOCALHOST", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "0", "0.0.0.0", "127.8.9.1",
        "[::1]",
        "[::]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", own, "[::ffff:\(own)]", "a.localhost", "169.254.169.254", "2852039166",
        "169.254.170.2", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[fd00:ec2::254]",
        "[fe80::1]",
        "metadata.google.internal", "100.100.100.200", "168.63.129.16",
      ]
      let recording = try remoteRecording { remote in
        for host in hosts {
          let authority = "\(host):\(origin.port)"
          for line in ["GET http://\(authority)/ HTTP/1.1", "CONNECT \(authority) HTTP/1.1"] {
            let refusal = try remote.request("\(line)\r\nHost: \(authority)\r\n\r\n").receiveResponse()
            #expect(refusal.status == 403, "\(line): \(refusal.bodyText)")
            #expect(refusal.value(of: "Proxy-Status") == "tapeline; error=destination_ip_prohibited", "\(line)")
            #expect(refusal.value(of: "Content-Type") == "text/plain; charset=utf-8")
          }
        }
      }
      #expect(origin.connections.isEmpty)
      #expect(recording.entries.count == 2 * hosts.count)
      for entry in recording.entries {
        #expect(entry.error?["kind"]?.string == "destination-prohibited", "\(entry.url)")
        #expect(entry.error?["origin"]?.string == "client")
        #expect(entry.phase("connect") == -1, "not even a SYN was sent")
      }
    }

    @Test("RFC 9112 9.3: a connection opened for this machine is not reused for another one's client")
    func pool() throws {
      let origin = try Self.answering()
      let get = "GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n"
      _ = try remoteRecording(["--threads", "1", "--share-connections"]) { remote in
        #expect(try remote.proxy.request(get).receiveResponse().bodyText == "for this machine only")
        #expect(try remote.request(get).receiveResponse().status == 403)
        #expect(try remote.proxy.request(get).receiveResponse().bodyText == "for this machine only")
        // By the listener that other machines use, too: where the client is counts, not where it knocks.
        let local = try RawClient(port: remote.port)
        try local.send(get)
        #expect(try local.receiveResponse().status == 200)
      }
      #expect(origin.connections.count == 1)
      #expect(origin.requests.count == 3)
    }

    @Test("--allow-host opens what it names: an address, at a port")
    func exceptions() throws {
      let (open, closed) = (try Self.answering("open"), try Self.answering())
      let options = ["--allow-host", "127.0.0.1:\(open.port)", "--allow-host", "localhost:\(open.port)"]
      let recording = try remoteRecording(options) { remote in
        for host in ["127.0.0.1", "localhost"] {
          let authority = "\(host):\(open.port)"
          let get = try remote.request("GET http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
          #expect(try get.receiveResponse().bodyText == "open")
          let tunnel = try remote.request("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
          #expect(try tunnel.receiveResponse(to: "CONNECT").status == 200)
          try tunnel.send("GET / HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
          #expect(try tunnel.receiveResponse().bodyText == "open")
        }
        for authority in [closed.authority, "localhost:\(closed.port)", "127.1:\(open.port)"] {
          let get = try remote.request("GET http://\(authority)/ HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
          #expect(try get.receiveResponse().status == 403)
        }
      }
      #expect(closed.connections.isEmpty)
      #expect(recording.entries.filter { $0.error?["kind"]?.string == "host-denied" }.count == 3)
    }

    @Test(
      "--allow-host '*' and a name of one's own open nothing that is protected",
      arguments: ["*", "127.1", "127.0.0.0/8", "*.localhost"])
    func patternsOpenNothing(pattern: String) throws {
      let origin = try Self.answering()
      _ = try remoteRecording(["--allow-host", pattern]) { remote in
        for host in ["127.0.0.1", "127.1", "a.localhost"] {
          let get = try remote.request("GET http://\(host):\(origin.port)/ HTTP/1.1\r\nHost: \(host)\r\n\r\n")
          #expect(try get.receiveResponse().status == 403, "\(host)")
        }
      }
      #expect(origin.connections.isEmpty)
    }

    @Test("RFC 9209 2.3.29: a way back to the proxy is a loop, by any address of the machine")
    func loops() throws {
      let recording = try remoteRecording { remote in
        for authority in [remote.authority, "127.0.0.1:\(remote.port)", "127.0.0.2:\(remote.port)"] {
          for client in [try remote.connect(), try remote.proxy.connect()] {
            try client.send("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\r\n")
            #expect(try client.receiveResponse().status == 508, "\(authority)")
          }
        }
        let byName = try remote.proxy.request("GET http://127.1:\(remote.port)/healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try byName.receiveResponse().status == 508)
      }
      #expect(recording.entries.allSatisfy { $0.error?["kind"]?.string == "loop-detected" })
    }

    @Test("RFC 9112 3.2.2: the pages answer under the address by which another machine knows the proxy, without their numbers")
    func pages() throws {
      _ = try remoteRecording(["--intercept", "--ca-dir", try TemporaryDirectory().path]) { remote in
        for target in ["", "http://\(remote.authority)"] {
          func page(_ path: String) throws -> RawMessage {
            try remote.request("GET \(target)\(path) HTTP/1.1\r\nHost: \(remote.authority)\r\n\r\n").receiveResponse()
          }
          let help = try page("/")
          #expect(help.status == 200)
          #expect(help.bodyText.contains("export HTTP_PROXY=http://\(remote.authority) "))
          #expect(!help.bodyText.contains("in flight") && !help.bodyText.contains("Since start"))
          #expect(try page("/proxy.pac").bodyText.contains("\"PROXY \(remote.authority)\""))
          #expect(try page("/ca.pem").bodyText.hasPrefix("-----BEGIN CERTIFICATE-----"))
          #expect(try page("/healthz").bodyText == "ok\n")
          #expect(try page("/metrics").status == 403)
        }
        let rebound = try remote.request("GET /healthz HTTP/1.1\r\nHost: evil.example:\(remote.port)\r\n\r\n")
        #expect(try rebound.receiveResponse().status == 421)
      }
    }

    @Test("RFC 9110 15.5.2: with --auth, another machine sees the numbers for the name and the password")
    func numbersForWhoKnows() throws {
      _ = try remoteRecording(["--auth", "user:pass"]) { remote in
        let client = try remote.connect()
        try client.send("GET /metrics HTTP/1.1\r\nHost: \(remote.authority)\r\n\r\n")
        let question = try client.receiveResponse()
        #expect(question.status == 401)
        #expect(question.value(of: "WWW-Authenticate") == "Basic realm=\"tapeline\", charset=\"UTF-8\"")
        let answer = "Authorization: Basic dXNlcjpwYXNz"
        try client.send("GET /metrics HTTP/1.1\r\nHost: \(remote.authority)\r\n\(answer)\r\n\r\n")
        #expect(try client.receiveResponse().bodyText.contains("tapeline_requests_total"))
        try client.send("GET / HTTP/1.1\r\nHost: \(remote.authority)\r\n\(answer)\r\n\r\n")
        #expect(try client.receiveResponse().bodyText.contains("in flight"))
        // Through the proxy, its own question has the same answer.
        try client.send("GET http://\(remote.authority)/metrics HTTP/1.1\r\nHost: x\r\nProxy-\(answer)\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
    }

    @Test("A proxy without a password that others can use says so when it starts")
    func warning() throws {
      let sentence = "tapeline: --allow-remote: everybody who can reach this machine can use the proxy"
      let open = try remoteRecording { _ in }
      #expect(open.proxy.process.errorText.hasPrefix(sentence))
      let guarded = try remoteRecording(["--auth", "user:pass"]) { _ in }
      #expect(!guarded.proxy.process.errorText.contains("--allow-remote"))
      let local = try recording(["--allow-remote"]) { _ in }
      #expect(!local.proxy.process.errorText.contains("--allow-remote"))
    }
  }
}
