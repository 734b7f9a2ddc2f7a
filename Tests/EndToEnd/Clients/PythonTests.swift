import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Python {
    private static func echo() throws -> ScriptedOrigin {
      try ScriptedOrigin([
        .forever([
          .answer { .response(fields: ["Set-Cookie: a=1", "Set-Cookie: b=2"], body: $0.body.isEmpty ? [1, 2, 3] : $0.body) }
        ])
      ])
    }

    @Test func urllib() throws {
      let origin = try Self.echo()
      let recording = try recording { proxy in
        try proxy.run(
          pythonInterpreter(),
          [
            "-c",
            """
            import sys, urllib.request as u
            base = sys.argv[1]
            assert u.urlopen(base + 'get').read() == bytes([1, 2, 3])
            body = bytes(range(256)) * 100
            assert u.urlopen(u.Request(base + 'put', data=body, method='PUT')).read() == body
            """, origin.url(),
          ])
      }
      #expect(try recording.entry("/get").responseBodySize == 3)
      let upload = try recording.entry("/put")
      #expect(upload.requestBodySize == 25_600)
      #expect(upload.responseBodySize == 25_600)
      #expect(upload.responseValues(of: "Set-Cookie").count == 2, "never merged")
    }

    @Test func requests() throws {
      let origin = try Self.echo()
      let recording = try recording { proxy in
        try proxy.run(
          pythonInterpreter(),
          [
            "-c",
            """
            import sys, requests
            base = sys.argv[1]
            with requests.Session() as s:
                for n in range(3):
                    r = s.get(base + f'get{n}')
                    assert r.content == bytes([1, 2, 3]), r.content
                assert s.cookies.get('b') == '2'
                r = s.post(base + 'json', json={'n': 1})
                assert r.json() == {'n': 1}
                r = s.post(base + 'chunks', data=(part for part in (b'one', b'two')))
                assert r.content == b'onetwo', r.content
                assert s.delete(base + 'delete', data='why').content == b'why'
            """, origin.url(),
          ])
      }
      #expect(recording.entries.count == 6)
      #expect(try recording.entry("/json").postText == "{\"n\": 1}")
      #expect(try recording.entry("/delete").postText == "why")
      #expect(origin.requests.contains { $0.body == Array("onetwo".utf8) && $0.value(of: "Transfer-Encoding") == "chunked" })
      // One client connection, so one connection to the origin.
      #expect(recording.entries.dropFirst().allSatisfy { $0.phase("connect") == -1 && $0.phase("dns") == -1 })
    }
  }
}
