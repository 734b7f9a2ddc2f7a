import TapelineTestSupport
import Testing

extension EndToEnd {
  /// One message, one meaning: what two readers could read differently never reaches an origin.
  @Suite struct Refusals {
    @Test(arguments: [
      "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      "Content-Length: 3, 3\r\n\r\nabc",
      "Content-Length: +3\r\n\r\nabc",
      "Content-Length: 0x3\r\n\r\nabc",
      "Content-Length: \r\n\r\nabc",
      "Content-Length: 99999999999999999999\r\n\r\n",
      "Content-Length : 3\r\n\r\nabc",
      "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: \u{B}chunked\r\n\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\nzz\r\n",
      "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
      "Transfer-Encoding: chunked\r\n\r\n3\nabc\r\n0\r\n\r\n",
      "X: a\r\n folded\r\n\r\n",
      "X: a\nY: b\r\n\r\n",
      "X: a\u{0}b\r\n\r\n",
      "X y: a\r\n\r\n",
      ": empty name\r\n\r\n",
      "Host: other.example\r\n\r\n",
    ])
    func ambiguousRequests(_ rest: String) throws {
      let origin = try ScriptedOrigin([.expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("POST \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\n\(rest)")
        let response = try client.receiveResponse(to: "POST")
        #expect(response.status == 400)
        #expect(response.value(of: "Connection") == "close")
        #expect(try client.receiveToEnd().octets == [], "nothing more is read from a connection that lost its framing")
      }
      #expect(!origin.connections.contains { $0.receivedText.contains("\r\n\r\n0\r\n\r\n") }, "no complete request went upstream")
      #expect(recording.entries.count == 1)
    }

    @Test(arguments: [
      ("GET /\r\n\r\n", 400), ("GET  http://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
      ("G\u{0}T http://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n", 400), ("GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", 400),
      ("GET http://127.0.0.1/ HTTP/2.0\r\nHost: a\r\n\r\n", 505), ("GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ])
    func malformedRequestLines(_ text: String, _ status: Int) throws {
      _ = try recording { proxy in
        let client = try proxy.request(text)
        try client.halfClose()
        #expect(try client.receiveResponse().status == status)
      }
    }

    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n",
      "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n",
      "nonsense\r\n\r\n",
    ])
    func ambiguousResponses(_ text: String) throws {
      let origin = try ScriptedOrigin([.expectRequest, .send(text), .expectEnd])
      let recording = try recording { proxy in
        let client = try proxy.request("GET \(origin.url("/bad")) HTTP/1.1\r\nHost: \(origin.authority)\r\n\r\n")
        #expect(try client.receiveResponse().status == 502)
      }
      let entry = try recording.entry("/bad")
      #expect(entry.error?["origin"]?.string == "upstream")
    }

    @Test func anUnknownTransferCoding() throws {
      _ = try recording { proxy in
        let client = try proxy.request(
          "POST http://127.0.0.1:1/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: zip, chunked\r\n\r\n0\r\n\r\n")
        #expect(try client.receiveResponse(to: "POST").status == 501)
      }
    }

    @Test(arguments: ["127.1", "2130706433", "LOCALHOST", "0.0.0.0", "[::ffff:127.0.0.1]"])
    func itsOwnAddressByAnotherNameIsALoop(_ host: String) throws {
      _ = try recording { proxy in
        let get = try proxy.request("GET http://\(host):\(proxy.port)/x HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try get.receiveResponse().status == 508)
        let tunnel = try proxy.request("CONNECT \(host):\(proxy.port) HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try tunnel.receiveResponse(to: "CONNECT").status == 508)
      }
    }

    @Test func aRequestThatWasHereBeforeIsALoop() throws {
      let origin = try ScriptedOrigin([.expectEnd])
      _ = try recording { proxy in
        let once = try proxy.request("GET \(origin.url()) HTTP/1.1\r\nHost: \(origin.authority)\r\nVia: 1.1 tapeline\r\n\r\n")
        #expect(try once.receiveResponse().status == 508)
      }
      #expect(origin.connections.isEmpty)
    }

    @Test func requestsForTheProxyItselfAreAnsweredHere() throws {
      _ = try recording { proxy in
        let help = try proxy.request("GET / HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        #expect(try help.receiveResponse().status == 200)
        let unknown = try proxy.request("GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:\(proxy.port)\r\n\r\n")
        #expect(try unknown.receiveResponse().status == 404)
      }
    }

    @Test func headsBeyondTheLimits() throws {
      _ = try recording { proxy in
        let line = try proxy.request("GET http://127.0.0.1/\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try line.receiveResponse().status == 414)
        let block = try proxy.request(
          "GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX: \(String(repeating: "a", count: 70_000))\r\n\r\n")
        #expect(try block.receiveResponse().status == 431)
        let count = try proxy.request(
          "GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\(String(repeating: "X: a\r\n", count: 250))\r\n")
        #expect(try count.receiveResponse().status == 431)
      }
    }
  }
}
