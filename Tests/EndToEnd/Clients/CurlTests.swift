import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Curl {
    @Test func getsABody() throws {
      let body = patternedBytes(70_000)
      let origin = try ScriptedOrigin([
        .forever([.expectRequest, .respond(fields: ["Content-Type: application/x-thing", "X-Origin: yes"], body: body)])
      ])
      let recording = try recording { proxy in
        let curl = try proxy.curl([origin.url("/path?q=1"), "-H", "X-Client: yes"])
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
        #expect(curl.standardOutput == body)
      }
      let request = try #require(origin.requests.first)
      #expect(request.startLine == "GET /path?q=1 HTTP/1.1")
      #expect(request.value(of: "Host") == origin.authority)
      #expect(request.value(of: "X-Client") == "yes")
      #expect(request.value(of: "Via") == nil)
      #expect(request.value(of: "Proxy-Connection") == nil)

      let entry = try recording.entry("/path?q=1")
      #expect(entry.method == "GET")
      #expect(entry.url == origin.url("/path?q=1"))
      #expect(entry.status == 200)
      #expect(entry.responseBodySize == body.count)
      #expect(entry.contentSize == body.count)
      #expect(entry.requestBodySize == 0)
      #expect(entry.response?["content"]?["mimeType"]?.string == "application/x-thing")
      #expect(entry.responseValues(of: "X-Origin") == ["yes"])
      #expect(entry.phase("connect") >= 0)
      #expect(entry.phase("dns") == -1, "a literal address is not resolved")
      #expect(entry.connection == "\(origin.port)")
      #expect(entry.tree["serverIPAddress"]?.string == "127.0.0.1")
    }

    @Test func postsAForm() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: $0.body) }])])
      let recording = try recording { proxy in
        let curl = try proxy.curl(["-d", "colour=blue&size=7", origin.url("/form")])
        #expect(curl.outputText == "colour=blue&size=7")
      }
      #expect(origin.requests.first?.value(of: "Content-Length") == "18")
      let entry = try recording.entry("/form")
      #expect(entry.method == "POST")
      #expect(entry.requestBodySize == 18)
      #expect(entry.postText == "colour=blue&size=7")
      #expect(entry.request?["postData"]?["params"]?.elements.count == 2)
      #expect(entry.contentText == "colour=blue&size=7")
    }

    @Test func uploadsInChunks() throws {
      let body = patternedBytes(300_000, seed: 2)
      let origin = try ScriptedOrigin([.forever([.answer { .response(body: Array("\($0.body.count)".utf8)) }])])
      let recording = try recording { proxy in
        let curl = try proxy.curl(["-T", "-", origin.url("/upload")], input: body)
        #expect(curl.outputText == "300000")
      }
      let request = try #require(origin.requests.first)
      #expect(request.value(of: "Transfer-Encoding") == "chunked")
      #expect(request.value(of: "Content-Length") == nil)
      #expect(request.body == body)
      let entry = try recording.entry("/upload")
      #expect(entry.method == "PUT")
      #expect(entry.request?["postData"]?["_encoding"]?.string == "base64")
      #expect((entry.requestBodySize ?? 0) >= body.count)
    }

    @Test func asksForAHead() throws {
      let origin = try ScriptedOrigin([.forever([.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n")])])
      let recording = try recording { proxy in
        let curl = try proxy.curl(["--head", origin.url("/one"), origin.url("/two")])
        #expect(curl.exitStatus == .exited(0))
        #expect(curl.outputText.contains("Content-Length: 12345"))
      }
      #expect(recording.entries.map(\.method) == ["HEAD", "HEAD"])
      for entry in recording.entries {
        #expect(entry.responseBodySize == 0)
        #expect(entry.contentSize == 0)
      }
      #expect(origin.connections.count == 1, "a HEAD's answer has no body, so the connection goes on")
    }

    @Test func twentyAtATime() throws {
      let origin = try ScriptedOrigin([
        .forever([.answer { .response(body: patternedBytes(20_000, seed: UInt64($0.startLine.utf8.count))) }])
      ])
      let directory = try TemporaryDirectory()
      let recording = try recording { proxy in
        let arguments = (0..<20).flatMap { number in
          ["-o", directory.path("\(number)"), origin.url("/\(String(repeating: "x", count: number))?n=\(number)")]
        }
        let curl = try proxy.curl(["--parallel", "--parallel-immediate", "--parallel-max", "20"] + arguments)
        #expect(curl.exitStatus == .exited(0), "\(curl.errorText)")
      }
      for number in 0..<20 {
        let line = "GET /\(String(repeating: "x", count: number))?n=\(number) HTTP/1.1"
        #expect(try readFile(directory.path("\(number)")) == patternedBytes(20_000, seed: UInt64(line.utf8.count)))
        #expect(try recording.entry("?n=\(number)").responseBodySize == 20_000)
      }
      #expect(recording.entries.count == 20)
    }

    @Test func readsChunks() throws {
      let origin = try ScriptedOrigin([
        .forever([
          .expectRequest,
          .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/plain\r\n\r\n"),
          .send("5\r\nhello\r\n"), .send("1;ext=1\r\n \r\n"), .send("5\r\nworld\r\n0\r\n\r\n"),
        ])
      ])
      let recording = try recording { proxy in
        let curl = try proxy.curl([origin.url("/chunks")])
        #expect(curl.outputText == "hello world")
      }
      let entry = try recording.entry("/chunks")
      #expect(entry.contentText == "hello world")
      #expect(entry.contentSize == 11)
    }

    @Test func passesCompressedBodiesUnchanged() throws {
      let text = String(repeating: "compressible ", count: 500)
      let server = try NginxServer()
      try server.serve(Array(text.utf8), as: "plain.txt")
      let recording = try recording { proxy in
        let curl = try proxy.curl(["--compressed", server.url("/plain.txt")])
        #expect(curl.outputText == text)
      }
      let entry = try recording.entry("/plain.txt")
      #expect(entry.responseValues(of: "Content-Encoding") == ["gzip"])
      #expect((entry.responseBodySize ?? 0) < text.utf8.count / 2)
    }
  }
}
