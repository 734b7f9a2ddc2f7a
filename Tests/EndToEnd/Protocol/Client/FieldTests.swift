import TapelineTestSupport
import Testing

extension EndToEnd {
  @Suite struct Fields {
    @Test("RFC 9110 5.3: order, spelling, blanks and duplicates of fields are kept both ways")
    func orderSpellingAndDuplicatesAreKept() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send(
          "HTTP/1.1 200 \r\nsErVeR: x\r\nSet-Cookie: a=1; Path=/\r\nX-B: 2\r\nSet-Cookie: b=2\r\nX-A:   spaced  \r\nDate: then\r\nContent-Length: 0\r\n\r\n"
        ),
      ])
      let recording = try recording(["--no-redact"]) { proxy in
        let client = try proxy.request(
          "GET \(origin.url("/f")) HTTP/1.1\r\nx-z: 1\r\nHost: \(origin.authority)\r\nX-Y:2\r\nx-Z: \t3 \r\nEmpty:\r\n\r\n")
        let response = try client.receiveResponse()
        let names = response.fields.map(\.name).filter { $0 != "Via" }
        #expect(names == ["sErVeR", "Set-Cookie", "X-B", "Set-Cookie", "X-A", "Date", "Content-Length"])
        #expect(response.values(of: "Date") == ["then"], "what the origin sent is not corrected")
        #expect(response.startLine == "HTTP/1.1 200 ")
      }
      #expect(
        origin.requests.first?.text
          == "GET /f HTTP/1.1\r\nx-z: 1\r\nHost: \(origin.authority)\r\nX-Y:2\r\nx-Z: \t3 \r\nEmpty:\r\n\r\n"
      )
      let entry = try recording.entry("/f")
      #expect(entry.responseValues(of: "Set-Cookie") == ["a=1; Path=/", "b=2"])
      #expect(entry.response?["cookies"]?.elements.count == 2)
    }

    @Test("RFC 9110 7.6.1: what Connection names, and what is for one hop, stays on its hop")
    func hopByHopFieldsStayOnTheirHop() throws {
      let origin = try ScriptedOrigin([
        .expectRequest,
        .send(
          "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nProxy-Authenticate: Basic\r\nProxy-Authentication-Info: x=1\r\nX-End: 1\r\nContent-Length: 2\r\n\r\nok"
        ),
      ])
      _ = try recording { proxy in
        let client = try proxy.request(
          "POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: x-one ,, Keep-Alive,\t\"x-end\", x end\r\nX-One: 1\r\n"
            + "X-TWO: 2\r\nconnection: X-Two, content-length, transfer-encoding, host\r\nX-One: 1\r\nKeep-Alive: 300\r\n"
            + "Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\nProxy-Authenticate: x\r\nTE: gzip\r\n"
            + "Upgrade: x\r\nX-End: 3\r\nContent-Length: 2\r\n\r\nhi"
        )
        let response = try client.receiveResponse(to: "POST")
        #expect(response.fields.map(\.name) == ["Keep-Alive", "X-End", "Content-Length", "Date"])
        #expect(response.bodyText == "ok")
      }
      let request = try #require(origin.requests.first)
      #expect(
        request.text
          == "POST / HTTP/1.1\r\nHost: \(origin.authority)\r\nConnection: keep-alive\r\nKeep-Alive: 300\r\nX-End: 3\r\nContent-Length: 2\r\n\r\n",
        "naming Host or the framing in Connection takes nothing away")
      #expect(request.bodyText == "hi")
    }

    @Test("RFC 9110 7.6.1: what Connection names goes from the trailers too, and framing never comes in them")
    func trailersLoseWhatTheHeadNames() throws {
      try expectForwarded(vectors: "request-fields", "trailers")
    }

    @Test("RFC 9110 10.1.4: TE is ours to send, and says trailers or nothing")
    func teIsOurs() throws {
      try expectForwarded(vectors: "request-fields", "TE")
    }

    @Test("RFC 9110 7.8: Upgrade is passed on where the connection asks for it, and never from HTTP/1.0")
    func upgradeIsPassedOnWhereItIsAskedFor() throws {
      try expectForwarded(vectors: "request-fields", "Upgrade")
    }

    @Test("RFC 9110 7.6.3: with --via, Via says the version that was received, both ways; without, what came is all there is")
    func viaSaysTheVersion() throws {
      let origin = try ScriptedOrigin([.forever([.answer { .response(fields: ["Via: 1.0 older"], body: $0.head) }])])
      _ = try recording { proxy in
        let client = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nVia: 1.0 a\r\n\r\n")
        let response = try client.receiveResponse()
        #expect(response.values(of: "Via") == ["1.0 older"])
        #expect(response.bodyText == "GET / HTTP/1.1\r\nHost: \(origin.authority)\r\nVia: 1.0 a\r\n\r\n")
      }
      _ = try recording(["--via"]) { proxy in
        for version in ["1.0", "1.1", "1.2", "1.9"] {
          let client = try proxy.request("GET \(origin.url()) HTTP/\(version)\r\nHost: \(origin.authority)\r\nVia: 1.0 a\r\n\r\n")
          let response = try client.receiveResponse()
          #expect(response.startLine == "HTTP/1.1 200 OK", "our own version, whatever came")
          let via = response.values(of: "Via")
          #expect(via.first == "1.0 older")
          let name = try #require(via.last?.split(separator: " ").last)
          #expect(via.last == "1.1 \(name)")
          #expect(name.hasPrefix("tapeline-"))
          #expect(response.bodyText.contains("\r\nVia: 1.0 a\r\n"))
          #expect(response.bodyText.hasSuffix("\r\nVia: \(version) \(name)\r\n\r\n"))
        }
      }
    }

    @Test("RFC 9110 9.1: methods are case-sensitive, and unknown ones are forwarded")
    func methodsAreForwarded() throws {
      try expectForwarded(vectors: "request-methods", "methods")
    }

    @Test("RFC 9110 5.5: values are bytes, never decoded")
    func valuesAreBytes() throws {
      try expectForwarded(vectors: "request-fields", "values")
    }
  }
}
