import TapelineTestSupport
import Testing

extension EndToEnd {
  /// `--http1`: HTTP/2 is neither offered to servers nor spoken with clients.
  @Suite struct HTTP1Alone {
    private let authority: TestAuthority
    private let server: NginxServer

    init() throws {
      authority = try TestAuthority()
      server = try NginxServer(identity: authority.issue())
      try server.serve(Array("first\n".utf8), as: "first.txt")
    }

    @Test("A client that offers both versions is answered HTTP/1.1, and the entry says what the server was not offered")
    func theOlderVersionIsSpoken() throws {
      let run = try RunRecording(
        trusting: authority, options: ["--http1"],
        ["curl", "-sS", "--http2", "-w", "%{http_version}", server.tlsURL("/first.txt")])
      #expect(run.process.outputText == "first\n1.1")
      let entry = try run.entry("/first.txt")
      #expect(entry.clientTLS?["offeredALPN"]?.elements.map(\.string) == ["h2", "http/1.1"])
      #expect(entry.clientTLS?["alpn"]?.string == "http/1.1")
      #expect(entry.tls?["alpn"]?.string == "http/1.1")
      let change = try #require(entry.tree["_changes"]?.elements.first { $0["name"]?.string == ":alpn" }, "\(entry.tree)")
      #expect(change["from"]?.string == "h2, http/1.1")
      #expect(change["to"]?.string == "http/1.1")
    }

    @Test("A client that offers HTTP/1.1 alone changes nothing")
    func nothingIsChanged() throws {
      let run = try RunRecording(
        trusting: authority, options: ["--http1"], ["curl", "-sS", "--http1.1", server.tlsURL("/first.txt")])
      #expect(try run.entry("/first.txt").tree["_changes"] == nil)
    }

    @Test("A client that offers HTTP/2 alone is passed through")
    func theNewerVersionIsNotRead() throws {
      let run = try RunRecording(
        trusting: authority, options: ["--http1", "--require", "0"],
        [
          "sh", "-c",
          "openssl s_client -proxy ${HTTPS_PROXY#http://} -connect localhost:$0 -alpn h2 -brief </dev/null >/dev/null 2>&1; true",
          "\(server.tlsPort)",
        ])
      let entry = try #require(run.entries.first)
      #expect(entry.tree["_tunnel"]?["unread"]?.string == "h2-only")
      #expect(entry.comment == "passed through: the client offers only h2, which is not decrypted")
    }
  }
}
