import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Wget {
    @Test func fetchesAFileAndGoesOnWithAHalfOfIt() throws {
      let body = patternedBytes(500_000)
      let server = try NginxServer()
      try server.serve(body, as: "file.bin")
      let directory = try TemporaryDirectory()
      try directory.write(Array(body.prefix(200_000)), to: "partial")
      let recording = try recording { proxy in
        try proxy.run("wget", ["-nv", "-O", directory.path("whole"), server.url("/file.bin?whole")])
        try proxy.run("wget", ["-nv", "--continue", "-O", directory.path("partial"), server.url("/file.bin?rest")])
      }
      #expect(try readFile(directory.path("whole")) == body)
      #expect(try readFile(directory.path("partial")) == body)
      #expect(try recording.entry("?whole").responseBodySize == 500_000)
      let rest = try recording.entry("?rest")
      #expect(rest.status == 206)
      #expect(rest.responseBodySize == 300_000)
    }

    @Test func followsARedirection() throws {
      let origin = try ScriptedOrigin([
        .forever([
          .answer { request in
            request.startLine.contains("/old")
              ? .response("302 Found", fields: ["Location: /new"], body: []) : .response(body: Array("here".utf8))
          }
        ])
      ])
      let recording = try recording { proxy in
        let wget = try proxy.run("wget", ["-q", "-O", "-", origin.url("/old")])
        #expect(wget.outputText == "here")
      }
      #expect(recording.entries.map(\.status) == [302, 200])
      #expect(recording.entries.first?.response?["redirectURL"]?.string == "/new")
    }
  }
}
