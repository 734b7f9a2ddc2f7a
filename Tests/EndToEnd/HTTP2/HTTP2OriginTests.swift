import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// One client, many kinds of origins.
  @Suite struct Origins {
    private let authority: TestAuthority

    init() throws {
      authority = try TestAuthority()
    }

    /// Three requests of curl: a file, a HEAD, and one for something that is not there.
    private func expectThree(
      _ url: (String) -> String, content: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let run = try RunRecording(
        trusting: authority,
        [
          "sh", "-ec", #"curl -sS --http2 "$0" --next -sS --http2 -I -o /dev/null "$1" --next -sS --http2 -o /dev/null "$2""#,
          url("/hello.txt"), url("/hello.txt?head"), url("/missing"),
        ], sourceLocation: sourceLocation)
      #expect(run.process.outputText == content, sourceLocation: sourceLocation)
      let entries = [try run.entry("/hello.txt"), try run.entry("?head"), try run.entry("/missing")]
      #expect(entries.map(\.status) == [200, 200, 404], sourceLocation: sourceLocation)
      entries.forEach { expectHTTP2($0, sourceLocation: sourceLocation) }
      expectOneConnection(entries, sourceLocation: sourceLocation)
    }

    @Test func nginx() throws {
      let server = try NginxServer(identity: authority.issue(), speaksHTTP2: true)
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      try expectThree(server.tlsURL, content: "hello\n")
    }

    @Test func apache() throws {
      let server = try ApacheServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      try expectThree({ "https://localhost:\(server.tlsPort)\($0)" }, content: "hello\n")
    }

    @Test func nghttpd() throws {
      let server = try NghttpServer(identity: authority.issue(), options: ["--trailer", "x-trailer: yes"])
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      try expectThree(server.url, content: "hello\n")
    }

    @Test func hypercorn() throws {
      let directory = try TemporaryDirectory()
      try directory.write(
        """
        async def app(scope, receive, send):
            if scope['type'] == 'lifespan':
                return
            status = 200 if scope['path'] == '/hello.txt' else 404
            await send({'type': 'http.response.start', 'status': status, 'headers': [(b'content-length', b'6')]})
            await send({'type': 'http.response.body', 'body': b'' if scope['method'] == 'HEAD' else b'hello\\n'})
        """, to: "app.py")
      let identity = try authority.issue()
      let server = try TestProcess(
        pythonInterpreter(),
        [
          "-m", "hypercorn", "--bind", "127.0.0.1:0", "--certfile", identity.certificate, "--keyfile", identity.key,
          "\(directory.path)/app:app",
        ])
      let line = try server.waitForErrorLine(containing: "Running on https://127.0.0.1:", seconds: 60)
      let port = try #require(Int(line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""))
      try expectThree({ "https://localhost:\(port)\($0)" }, content: "hello\n")
    }

    /// A server without HTTP/2 behind a client that would speak it: nobody does.
    @Test func withoutHTTP2() throws {
      let server = try NginxServer(identity: authority.issue())
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      let run = try RunRecording(
        trusting: authority, ["curl", "-sS", "--http2", "-w", "%{http_version}", server.tlsURL("/hello.txt")])
      #expect(run.process.outputText == "hello\n1.1", "the client is answered what the origin chose")
      let entry = try run.entry("/hello.txt")
      #expect(entry.version == "HTTP/1.1")
      #expect(entry.tree["_http2"] == nil)
    }
  }
}
