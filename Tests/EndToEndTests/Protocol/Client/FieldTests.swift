import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Fields {
    @Test func orderSpellingAndDuplicatesAreKept() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send(
          "HTTP/1.1 200 \r\nsErVeR: x\r\nSet-Cookie: a=1; Path=/\r\nX-B: 2\r\nSet-Cookie: b=2\r\nX-A:   spaced  \r\nDate: then\r\nContent-Length: 0\r\n\r\n"
        ),
      ])
      let recording = try recording(["--no-redact"]) { proxy in
        let client = try proxy.request(
          "GET \(origin.url("/f")) HTTP/1.1\r\nx-z: 1\r\nHost: \(origin.authority)\r\nX-Y:2\r\nx-Z: 3\r\n\r\n")
        let response = try client.receiveResponse()
        let names = response.fields.map(\.name).filter { $0 != "Via" }
        #expect(names == ["sErVeR", "Set-Cookie", "X-B", "Set-Cookie", "X-A", "Date", "Content-Length"])
        #expect(response.values(of: "Date") == ["then"], "what the origin sent is not corrected")
        #expect(response.startLine == "HTTP/1.1 200 ")
      }
      let request = try #require(origin.requests.first)
      #expect(request.fields.map(\.name).filter { $0 != "Via" } == ["x-z", "Host", "X-Y", "x-Z"])
      let entry = try recording.entry("/f")
      #expect(entry.responseValues(of: "Set-Cookie") == ["a=1; Path=/", "b=2"])
      #expect(entry.response?["cookies"]?.elements.count == 2)
    }

    @Test func hopByHopFieldsStayOnTheirHop() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send(
          "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nX-End: 1\r\nContent-Length: 2\r\n\r\nok"
        ),
      ])
      _ = try recording { proxy in
        let client = try proxy.request(
          "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: x-private, content-length, keep-alive\r\nX-Private: 1\r\n"
            + "Keep-Alive: 300\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\nX-Public: 1\r\nContent-Length: 2\r\n\r\nhi"
        )
        let response = try client.receiveResponse(to: "POST")
        for name in ["X-Hop", "Keep-Alive", "Proxy-Authenticate"] { #expect(response.value(of: name) == nil, "\(name)") }
        #expect(response.value(of: "X-End") == "1")
        #expect(response.bodyText == "ok")
      }
      let request = try #require(origin.requests.first)
      for name in ["X-Private", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Connection"] {
        #expect(request.value(of: name) == nil, "\(name)")
      }
      #expect(request.value(of: "X-Public") == "1")
      #expect(request.body == Array("hi".utf8), "naming Content-Length in Connection must not lose the framing")
    }

    @Test func theTargetDecidesTheHost() throws {
      let origin = try ScriptedOrigin([.expectRequest, .respond()])
      let recording = try recording { proxy in
        let client = try proxy.request("GET http://user:secret@\(origin.authority)?q HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n")
        #expect(try client.receiveResponse().status == 200)
      }
      let request = try #require(origin.requests.first)
      #expect(request.startLine == "GET /?q HTTP/1.1")
      #expect(request.values(of: "Host") == [origin.authority])
      #expect(!recording.entries.contains { $0.url.contains("secret") })
      #expect(!(try readText(recording.proxy.harPath)).contains("secret"))
    }
  }
}
