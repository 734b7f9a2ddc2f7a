import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Clients that trust only the server's own certificate fail twice at most, in `run` once, and then work through a tunnel;
  /// nobody else is kept from being read by them.
  @Suite struct PinnedClients {
    private let authority: TestAuthority
    private let server: NginxServer
    private let authorityDirectory: TemporaryDirectory

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("pinned".utf8), as: "pinned.txt")
      authorityDirectory = try TemporaryDirectory()
    }

    private var interception: [String] {
      ["--intercept", "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate]
    }

    private func get(through proxy: TapelineProcess, _ query: String = "") throws -> TestProcess {
      try proxy.curl(["--cacert", authority.certificate, server.tlsURL("/pinned.txt\(query)")])
    }

    /// By a client that trusts us, whose requests must be read.
    private func getTrustingly(through proxy: TapelineProcess) throws {
      let curl = try proxy.curl(["--cacert", authorityDirectory.path("ca.pem"), server.tlsURL("/pinned.txt")])
      #expect(curl.outputText == "pinned", "\(curl.errorText)")
    }

    private func expectRefusals(_ count: Int, through proxy: TapelineProcess) throws {
      for number in 0..<count {
        let status = try get(through: proxy, "?\(number)").exitStatus
        #expect(status == .exited(60), "the peer's certificate cannot be verified")
      }
    }

    private func expectPassedThrough(_ proxy: TapelineProcess, _ query: String = "") throws {
      let curl = try get(through: proxy, query)
      #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
      #expect(curl.outputText == "pinned")
    }

    private let remedy =
      "its --cacert names other authorities than ours: give that file to tapeline (--upstream-ca) and leave --cacert out"

    private func lines(of process: TestProcess, containing text: String) -> [String] {
      process.errorText.split(separator: "\n").map(String.init).filter { $0.contains(text) }
    }

    @Test func workThroughATunnelAfterTwoFailures() throws {
      let recording = try recording(interception) { proxy in
        try expectRefusals(2, through: proxy)
        for number in 0..<2 { try expectPassedThrough(proxy, "?again=\(number)") }
      }
      try HARValidators.expectAccepted(recording.log.path)
      #expect(recording.entries.map(\.method) == Array(repeating: "CONNECT", count: 4))
      #expect(recording.entries.allSatisfy { $0.tree["_tunnel"]?["unread"]?.string == "own-authority" })
      for refusal in recording.entries.prefix(2) {
        #expect(refusal.error?["origin"]?.string == "client")
        #expect(refusal.error?["phase"]?.string == "tls")
        #expect("\(refusal.tree)".contains("unknown_ca"), "the alert by its name")
        #expect(refusal.clientTLS?["sni"]?.string == "localhost")
      }
      for passed in recording.entries.dropFirst(2) {
        #expect(passed.error == nil)
        #expect(passed.comment?.hasPrefix("passed through: curl refused our certificate for localhost") == true)
        #expect(passed.tls?["sni"]?.string == "localhost")
        #expect((passed.tree["_tunnel"]?["toClient"]?.integer ?? 0) > 100)
      }
      let process = recording.proxy.process
      #expect(
        lines(of: process, containing: "localhost") == [
          "tapeline: curl refused our certificate for localhost (alert unknown_ca): its requests there are not recorded; \(remedy), "
            + "or leave the host alone (--passthrough-host localhost)",
          "tapeline: curl is passed through to localhost, unread, for 10 minutes: it refused our certificate (alert unknown_ca); "
            + "\(remedy); tapeline passthrough --clear then intercepts it again",
          lines(of: process, containing: "exchanges").last ?? "no summary",
        ])
      #expect(
        process.errorText.contains(", 4 tunnels not read: localhost:\(server.tlsPort) (own-authority), "), "\(process.errorText)")
      let list = try TestProcess(TapelineProcess.binary, ["list", recording.log.path], environment: ["COLUMNS": "80"])
      try list.wait()
      #expect(
        list.outputText.split(separator: "\n").dropFirst(2).allSatisfy { $0.contains("(own-authority)") && $0.count <= 80 },
        "\(list.outputText)")
      let show = try TestProcess(TapelineProcess.binary, ["show", recording.log.path, "3"])
      try show.wait()
      #expect(show.outputText.contains("not read: the client trusts other authorities than ours"))
    }

    /// requests with `verify=`, in a script whose command line says nothing of it.
    @Test func aScriptWithAnAuthorityOfItsOwnIsNotPinned() throws {
      let directory = try TemporaryDirectory()
      try directory.write(
        "import requests, sys\ntry: requests.get(sys.argv[1], verify=sys.argv[2])\nexcept requests.exceptions.SSLError: print('refused')\n",
        to: "client.py")
      let run = try RunRecording(
        trusting: authority,
        [pythonInterpreter(), directory.path("client.py"), server.tlsURL("/pinned.txt"), authority.certificate])
      #expect(run.process.outputText == "refused\n")
      #expect(run.entries.map { $0.tree["_tunnel"]?["unread"]?.string } == ["own-authority"])
      #expect(run.process.errorText.contains("--upstream-ca") && !run.process.errorText.contains("pinned)"))
    }

    @Test func keepNobodyElseFromBeingRead() throws {
      let recording = try recording(interception) { proxy in
        try expectRefusals(1, through: proxy)
        try getTrustingly(through: proxy)
        try expectRefusals(1, through: proxy)
        try getTrustingly(through: proxy)
        try expectPassedThrough(proxy)
        try getTrustingly(through: proxy)
      }
      #expect(recording.entries.map(\.method) == ["CONNECT", "GET", "CONNECT", "GET", "CONNECT", "GET"])
    }

    @Test func areLetThroughBehindTheHelloOfOneThatTrustsUs() throws {
      let recording = try recording(interception) { proxy in
        try getTrustingly(through: proxy)
        try getTrustingly(through: proxy)
        try expectRefusals(2, through: proxy)
        try expectPassedThrough(proxy)
        try getTrustingly(through: proxy)
      }
      #expect(recording.entries.map(\.method) == ["GET", "GET", "CONNECT", "CONNECT", "CONNECT", "GET"])
    }

    @Test func failOnceInRun() throws {
      let url = server.tlsURL("/pinned.txt")
      let own = "curl -s --cacert '\(authority.certificate)'"
      let run = try RunRecording(
        trusting: authority,
        ["sh", "-c", "curl -s \(url) && \(own) \(url); echo $?; \(own) \(url)?b && curl -s '\(url)?c' && \(own) -m 60 \(url)"])
      #expect(run.process.outputText == "pinned60\npinnedpinnedpinned", "\(run.process.errorText)")
      #expect(run.entries.map(\.method) == ["GET", "CONNECT", "CONNECT", "GET", "CONNECT"])
      #expect(lines(of: run.process, containing: "curl is passed through to localhost").count == 1)
      #expect(lines(of: run.process, containing: "curl refused").isEmpty)
      #expect(run.process.errorText.contains(", 3 tunnels not read: localhost:\(server.tlsPort) (own-authority), "))
    }

    /// One process, with connections of its own; by alerts, or by hanging up when it has seen the certificate, with or without
    /// having read everything. It may come again before the proxy has seen it hang up, so that more than two are refused.
    @Test(arguments: ["alert", "silence", "reset"])
    func inOneProcess(manner: String) throws {
      let script = """
        import http.client, socket, ssl, struct, sys
        manner, authority, proxy, port = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
        pin = ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("localhost", port)))
        taken = 0
        while taken < 2:
          s = socket.create_connection(("127.0.0.1", proxy))
          s.sendall(b"CONNECT localhost:%d HTTP/1.1\\r\\nHost: localhost:%d\\r\\n\\r\\n" % (port, port))
          assert s.recv(4096).startswith(b"HTTP/1.1 200")
          context = ssl.create_default_context(cafile=authority)
          if manner != "alert":
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
          try:
            t = context.wrap_socket(s, server_hostname="localhost")
          except ssl.SSLError as error:
            s.close()
            print("refused", flush=True)
            continue
          if t.getpeercert(binary_form=True) != pin:
            if manner == "reset":
              t.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            t.close()
            print("refused", flush=True)
            continue
          t.sendall(b"GET /pinned.txt HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n")
          response = http.client.HTTPResponse(t)
          response.begin()
          print(response.read().decode(), flush=True)
          taken += 1
        """
      var refusals = 0
      let recording = try recording(interception) { proxy in
        let client = try TestProcess(
          pythonInterpreter(), ["-c", script, manner, authority.certificate, "\(proxy.port)", "\(server.tlsPort)"])
        try client.wait()
        let lines = client.outputText.split(separator: "\n")
        refusals = lines.count - 2
        #expect(refusals >= 2, "\(client.outputText)\(client.errorText)")
        #expect(lines == Array(repeating: "refused", count: max(0, refusals)) + ["pinned", "pinned"])
      }
      #expect(recording.entries.count == refusals + 2)
      #expect(recording.entries.prefix(refusals).allSatisfy { $0.error?["origin"]?.string == "client" })
      #expect(recording.entries.suffix(2).allSatisfy { $0.comment?.hasPrefix("passed through: ") == true })
      #expect(lines(of: recording.proxy.process, containing: "python").count >= 2, "\(recording.proxy.process.errorText)")
    }

    @Test func areListedAndForgotten() throws {
      let recording = try recording(interception) { proxy in
        #expect(try proxy.control(["passthrough"]).outputText.isEmpty)
        try expectRefusals(2, through: proxy)
        let list = try proxy.control(["passthrough"]).outputText.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.last?.hasPrefix("localhost  curl    alert unknown_ca  ") == true, "\(list)")
        let status = try JSONTree(parsing: proxy.control(["status", "--json"]).standardOutput)
        let client = try #require(status["passthrough"]?.elements.first)
        #expect(client["host"]?.string == "localhost")
        #expect(client["client"]?.string == "curl")
        #expect(client["why"]?.string == "alert unknown_ca")
        #expect((client["expires"]?.integer ?? 0) - (client["since"]?.integer ?? 0) == 600_000_000)
        _ = try proxy.control(["snapshot", "-o", authorityDirectory.path("so-far.har")])
        let counted = try JSONTree(parsing: proxy.control(["status", "--json"]).standardOutput)
        #expect(counted["unread"]?["reasons"]?["own-authority"]?.integer == 2)
        #expect(counted["unread"]?["hosts"]?.elements.first?["reason"]?.string == "own-authority")
        #expect(try proxy.control(["status"]).outputText.contains("passed through now: curl to localhost"))
        let json = try JSONTree(parsing: proxy.control(["passthrough", "--clear", "--json"]).standardOutput)
        #expect(json["passthrough"]?.elements.count == 1)
        #expect(try proxy.control(["passthrough"]).outputText.isEmpty)
        try expectRefusals(1, through: proxy)
      }
      #expect(recording.entries.count == 3)
    }

    @Test func areNotSpokenOfWhenQuiet() throws {
      let recording = try recording(interception + ["--verbose"]) { proxy in try expectRefusals(1, through: proxy) }
      #expect(!lines(of: recording.proxy.process, containing: "curl refused").isEmpty)
      let directory = try TemporaryDirectory()
      let quiet = try TestProcess(
        TapelineProcess.binary,
        [
          "run", "-q", "-o", directory.path("a.har"), "--ca-dir", authorityDirectory.path, "--upstream-ca", authority.certificate,
          "--",
          "curl", "-s", "--cacert", authority.certificate, server.tlsURL("/pinned.txt"),
        ])
      try quiet.wait()
      #expect(quiet.exitStatus == .exited(60))
      #expect(quiet.errorText.isEmpty, "\(quiet.errorText)")
    }

    @Test func failEachTimeWhenStrict() throws {
      let recording = try recording(interception + ["--strict"]) { proxy in
        for _ in 0..<2 {
          let refused = try get(through: proxy)
          #expect(refused.exitStatus == .exited(60))
        }
      }
      #expect(recording.entries.count == 2)
      #expect(recording.entries.allSatisfy { $0.error?["origin"]?.string == "client" })
      #expect(lines(of: recording.proxy.process, containing: "curl refused").isEmpty, "nobody is looked up")
      #expect(lines(of: recording.proxy.process, containing: "a client at 127.0.0.1 refused our certificate").count == 1)
    }

    @Test func arePassedThroughWhenTheHostIsNamed() throws {
      let recording = try recording(interception + ["--passthrough-host", "localhost"]) { proxy in
        let curl = try get(through: proxy)
        #expect(curl.outputText == "pinned", "\(curl.errorText)")
      }
      #expect(recording.entries.map(\.method) == ["CONNECT"])
      #expect(recording.entries.first?.error == nil)
      #expect(recording.entries.first?.tree["_tunnel"]?["unread"]?.string == "passed-through")
      #expect(recording.proxy.process.errorText.contains(", 1 tunnel passed through, "))
    }

    @Test func arePassedThroughWhenOtherHostsAreNamed() throws {
      let recording = try recording(interception + ["--intercept-host", "*.example.invalid"]) { proxy in
        let curl = try get(through: proxy)
        #expect(curl.outputText == "pinned", "\(curl.errorText)")
      }
      #expect(recording.entries.map(\.method) == ["CONNECT"])
    }

    @Test func arePassedThroughByAProxyThatDoesNotIntercept() throws {
      let recording = try recording { proxy in
        let curl = try get(through: proxy)
        #expect(curl.outputText == "pinned", "\(curl.errorText)")
      }
      let tunnel = try #require(recording.entries.first)
      #expect(tunnel.url == "https://localhost:\(server.tlsPort)/")
      #expect(tunnel.tree["_tunnel"]?["unread"]?.string == "not-intercepted")
      #expect(recording.proxy.process.errorText.contains(", 1 tunnel, "))
      let seen = try #require(tunnel.tls, "what the clear part of TLS shows")
      #expect(seen["sni"]?.string == "localhost")
      #expect(seen["version"]?.string == "TLSv1.3")
      #expect(seen["offeredVersions"]?.elements.compactMap(\.string).contains("TLSv1.2") == true)
      #expect(seen["offeredALPN"]?.elements.compactMap(\.string).contains("http/1.1") == true)
      #expect((seen["helloTime"]?.number ?? 0) > 0, "milliseconds from ClientHello to ServerHello")
      #expect(tunnel.phase("wait") >= 0)
      #expect(tunnel.phase("dns") >= 0)
    }
  }
}
