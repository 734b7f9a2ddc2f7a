import TapelineTestSupport
import Testing

extension EndToEnd.HTTP2 {
  /// curl and nghttp, with nghttpd as the origin.
  @Suite struct Tools {
    private let authority: TestAuthority
    private let server: NghttpServer

    init() throws {
      authority = try TestAuthority()
      server = try NghttpServer(identity: authority.issue(), options: ["--echo-upload"])
      try server.serve(Array("hello\n".utf8), as: "hello.txt")
      try server.serve(patternedBytes(3_000_000), as: "large.bin")
    }

    @Test func curl() throws {
      let run = try RunRecording(
        trusting: authority,
        ["curl", "-sS", "--http2", "-w", "%{http_version} ", server.url("/hello.txt?1"), server.url("/hello.txt?2")])
      #expect(run.process.outputText == "hello\n2 hello\n2 ")
      let entries = [try run.entry("?1"), try run.entry("?2")]
      entries.forEach { expectHTTP2($0) }
      expectOneConnection(entries)
      expectDecrypted(entries[0])
      expectReused(entries[1])
      #expect(entries.allSatisfy { $0.status == 200 && $0.contentText == "hello\n" })
      #expect(entries[0].tls?["alpn"]?.string == "h2")
      #expect(entries[0].clientTLS?["alpn"]?.string == "h2")
    }

    @Test func curlUploadsAndDownloads() throws {
      let directory = try TemporaryDirectory()
      let body = try directory.write(patternedBytes(2_000_000, seed: 3), to: "body")
      let run = try RunRecording(
        trusting: authority,
        [
          "curl", "-sS", "--http2", "--parallel", "--parallel-max", "10", "-o", directory.path("down"),
          server.url("/large.bin"), "-o", directory.path("echo"), "--data-binary", "@\(body)", server.url("/echo"),
        ])
      // The option for data is for both URLs.
      #expect(try readFile(directory.path("echo")) == patternedBytes(2_000_000, seed: 3))
      for entry in run.exchanges {
        expectHTTP2(entry)
        #expect(entry.requestBodySize == 2_000_000)
      }
    }

    @Test func twentyStreamsAtATime() throws {
      let urls = (0..<20).map { server.url("/large.bin?\($0)") }
      let run = try RunRecording(
        trusting: authority,
        ["curl", "-sS", "--http2", "--parallel", "--parallel-max", "20"] + urls.flatMap { ["-o", "/dev/null", $0] })
      #expect(run.exchanges.count == 20)
      run.exchanges.forEach { expectHTTP2($0) }
      #expect(run.exchanges.allSatisfy { $0.responseBodySize == 3_000_000 })
      #expect(Set(run.exchanges.map(\.connectionID)).count == 1, "parallel transfers of one curl share its connection")
    }

    /// In clear inside a tunnel.
    @Test func curlByPriorKnowledge() throws {
      let clear = try NghttpServer()
      try clear.serve(Array("clear\n".utf8), as: "clear.txt")
      let run = try RunRecording(
        trusting: authority,
        [
          "sh", "-ec",
          #"curl -sS --noproxy '' --proxytunnel --proxy "$http_proxy" --http2-prior-knowledge -w '%{http_version}' $0"#,
          clear.url("/clear.txt"),
        ])
      #expect(run.process.outputText == "clear\n2")
      expectHTTP2(try run.entry("/clear.txt"))
    }

    @Test func curlWithHTTP1() throws {
      let run = try RunRecording(
        trusting: authority, ["curl", "-sS", "--http1.1", "-w", "%{http_version}", server.url("/hello.txt")])
      #expect(run.process.outputText == "hello\n1.1", "an origin that speaks HTTP/2 alone is translated")
      let entry = try run.entry("/hello.txt")
      #expect(entry.status == 200)
      #expect(entry.clientStreamID == nil)
      #expect(entry.streamID ?? 0 > 0)
    }

    /// It knows no proxy: a forwarder opens the tunnels for it.
    @Test func nghttp() throws {
      let script = """
        mkfifo port
        "$0" -m lab.http2.forward "${http_proxy#http://}" "localhost:$1" >port & forwarder=$!
        read -r _ port <port
        nghttp -s -m 10 -H ":authority: localhost:$1" "https://localhost:$port/hello.txt" | grep -c ' 200 '
        kill $forwarder
        """
      let directory = try TemporaryDirectory()
      let run = try RunRecording(
        trusting: authority,
        ["sh", "-ec", "cd \(directory.path); \(script)", pythonInterpreter(), "\(server.port)"],
        environment: ["PYTHONPATH": "\(repositoryRoot)/scripts"])
      #expect(run.process.outputText == "10\n")
      #expect(run.exchanges.count == 10)
      run.exchanges.forEach { expectHTTP2($0) }
      expectOneConnection(run.exchanges)
    }

    @Test func withoutHTTP2IfAskedTo() throws {
      let nginx = try NginxServer(identity: authority.issue(), speaksHTTP2: true)
      try nginx.serve(Array("hello\n".utf8), as: "hello.txt")
      let run = try RunRecording(
        trusting: authority, options: ["--http1"],
        ["curl", "-sS", "--http2", "-w", "%{http_version}", nginx.tlsURL("/hello.txt")])
      #expect(run.process.outputText == "hello\n1.1")
      let entry = try run.entry("/hello.txt")
      #expect(entry.version == "HTTP/1.1")
      #expect(entry.tree["_http2"] == nil)
    }
  }
}
