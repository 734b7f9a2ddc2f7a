import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Clients that trust only the server's own certificate fail once at most, and then work through a tunnel.
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

    private func get(through proxy: TapelineProcess) throws -> TestProcess {
      try proxy.curl(["--cacert", authority.certificate, server.tlsURL("/pinned.txt")])
    }

    @Test func workThroughATunnelAfterOneFailure() throws {
      let recording = try recording(interception) { proxy in
        #expect(try get(through: proxy).exitStatus == .exited(60), "the peer's certificate cannot be verified")
        for _ in 0..<2 {
          let again = try get(through: proxy)
          #expect(again.exitStatus == .exited(0), "\(again.errorText)")
          #expect(again.outputText == "pinned")
        }
      }
      try HARValidators.expectAccepted(recording.log.path)
      #expect(recording.entries.map(\.method) == ["CONNECT", "CONNECT", "CONNECT"])
      let refusal = try #require(recording.entries.first)
      #expect(refusal.error?["origin"]?.string == "client")
      #expect(refusal.error?["phase"]?.string == "tls")
      #expect("\(refusal.tree)".contains("unknown_ca"), "the alert by its name")
      #expect(refusal.clientTLS?["sni"]?.string == "localhost")
      for passed in recording.entries.dropFirst() {
        #expect(passed.error == nil)
        #expect(passed.comment?.isEmpty == false, "it says why it is not in clear")
        #expect(passed.tls?["sni"]?.string == "localhost")
        #expect((passed.tree["_tunnel"]?["toClient"]?.integer ?? 0) > 100)
      }
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
    }

    @Test func arePassedThroughWhenTheHostIsNamed() throws {
      let recording = try recording(interception + ["--passthrough-host", "localhost"]) { proxy in
        let curl = try get(through: proxy)
        #expect(curl.outputText == "pinned", "\(curl.errorText)")
      }
      #expect(recording.entries.map(\.method) == ["CONNECT"])
      #expect(recording.entries.first?.error == nil)
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
