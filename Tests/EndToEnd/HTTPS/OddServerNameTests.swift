import TapelineTestSupport
import Testing

extension EndToEnd {
  /// Clients whose hello names what is no host.
  @Suite struct OddServerNames {
    @Test(
      "They mean the host that the tunnel leads to, and the entry says so",
      arguments: ["localhost:9751", "a..b", "[::1]", "*.x"])
    func meanTheTunnelsHost(name: String) throws {
      let authority = try TestAuthority()
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("odd".utf8), as: "odd.txt")
      let directory = try TemporaryDirectory()
      let recording = try recording(["--intercept", "--ca-dir", directory.path, "--upstream-ca", authority.certificate]) {
        proxy in
        let client = try TestProcess(
          "openssl",
          [
            "s_client", "-quiet", "-ign_eof", "-proxy", "127.0.0.1:\(proxy.port)", "-connect", "localhost:\(server.tlsPort)",
            "-servername", name, "-CAfile", directory.path("ca.pem"), "-verify_hostname", "localhost", "-verify_return_error",
          ], input: Array("GET /odd.txt HTTP/1.1\r\nHost: localhost:\(server.tlsPort)\r\nConnection: close\r\n\r\n".utf8))
        try client.wait()
        #expect(client.outputText.hasSuffix("\r\n\r\nodd"), "\(client.outputText)\(client.errorText)")
      }
      let entry = try recording.entry("/odd.txt")
      #expect(entry.tls?["sni"]?.string == "localhost")
      #expect(
        entry.comment
          == "the client's server name \"\(name)\" is not a host: tapeline uses localhost, where the tunnel leads",
        "\(entry.tree)")
    }
  }
}
