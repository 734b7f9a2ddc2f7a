import TapelineTestSupport
import Testing

extension EndToEnd {
  /// What clients send is in the log for every method, taken apart where it is a form.
  @Suite struct RequestBodies {
    private static func echo() throws -> ScriptedOrigin {
      try ScriptedOrigin([.forever([.answer { _ in .response("204 No Content", body: []) }])])
    }

    @Test func multipartFormsAreTakenApart() throws {
      let directory = try TemporaryDirectory()
      let file = try directory.write([0, 1, 2, 255], to: "picture.png")
      let origin = try Self.echo()
      let recording = try recording { proxy in
        _ = try proxy.curl(
          ["-F", "title=a title", "-F", "note=<\(try directory.write("two\nlines", to: "note.txt"));type=text/plain"]
            + ["-F", "picture=@\(file);type=image/png", origin.url("/form")])
      }
      try HARValidators.expectAccepted(recording.log.path)
      let entry = try recording.entry("/form")
      let params = entry.request?["postData"]?["params"]?.elements ?? []
      #expect(params.map { $0["name"]?.string } == ["title", "note", "picture"])
      #expect(params.first?["value"]?.string == "a title")
      #expect(params.dropFirst().first?["value"]?.string == "two\nlines")
      #expect(params.last?["fileName"]?.string == "picture.png")
      #expect(params.last?["contentType"]?.string == "image/png")
      #expect(entry.postText?.isEmpty == false)
    }

    @Test func urlencodedFormsAreTakenApart() throws {
      let origin = try Self.echo()
      let recording = try recording { proxy in
        _ = try proxy.curl(["--data-urlencode", "q=a b&c", "-d", "n=1", origin.url("/form")])
      }
      let params = try recording.entry("/form").request?["postData"]?["params"]?.elements ?? []
      #expect(params.map { $0["name"]?.string } == ["q", "n"])
      #expect(params.map { $0["value"]?.string } == ["a b&c", "1"])
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT"])
    func bodiesOfEveryMethod(method: String) throws {
      let origin = try Self.echo()
      let recording = try recording { proxy in
        _ = try proxy.curl(["-X", method, "-H", "Content-Type: application/json", "-d", "{\"a\": 1}", origin.url("/any")])
      }
      #expect(try recording.entry("/any").postText == "{\"a\": 1}")
    }

    @Test func binaryAndCodedBodies() throws {
      let bytes: [UInt8] = [0, 159, 146, 150]
      let text = String(repeating: "sent ", count: 100)
      let coded = try ContentCodings.encode(Array(text.utf8), "gzip")
      let origin = try Self.echo()
      let recording = try recording { proxy in
        _ = try proxy.curl(
          ["--data-binary", "@-", "-H", "Content-Type: application/octet-stream", origin.url("/binary")], input: bytes)
        _ = try proxy.curl(
          ["--data-binary", "@-", "-H", "Content-Type: text/plain", "-H", "Content-Encoding: gzip", origin.url("/coded")],
          input: coded)
      }
      try HARValidators.expectAccepted(recording.log.path)
      let binary = try recording.entry("/binary").request?["postData"]
      #expect(binary?["text"]?.string == "AJ+Slg==")
      #expect(binary?["_encoding"]?.string == "base64")
      #expect(try recording.entry("/coded").postText == text)
      #expect(try recording.entry("/coded").requestBodySize == coded.count)
    }
  }
}
