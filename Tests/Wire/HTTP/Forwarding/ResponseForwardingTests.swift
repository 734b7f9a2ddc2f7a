import Testing

@testable import TapelineHTTP

@Suite struct ResponseForwardingTests {
  private let date = "Fri, 21 Nov 2026 09:45:49 GMT"

  private func forwarded(
    _ text: String, to version: HTTPVersion = .http11, method: HTTPMethod = .get, persists: Bool = true, upgrade: Bool = false,
    paired: Bool = false
  ) throws -> String {
    let head = try responseHead(text, to: method)
    let framing = ResponseForwarding.framing(of: try BodyFraming.ofResponse(head, to: method), to: version)
    var output: [UInt8] = []
    var forwarding = ResponseForwarding(to: method, of: version, framing: framing, persists: persists)
    forwarding.forwardsUpgrade = upgrade
    forwarding.isPaired = paired
    forwarding.date = date
    forwarding.append(head, into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theFramingIsWhatTheClientUnderstands() {
    for framing in [BodyFraming.none, .length(0), .length(5)] {
      #expect(ResponseForwarding.framing(of: framing, to: .http10) == framing)
      #expect(ResponseForwarding.framing(of: framing, to: .http11) == framing)
    }
    for framing in [BodyFraming.chunked, .untilClose] {
      #expect(ResponseForwarding.framing(of: framing, to: .http10) == .untilClose)
      #expect(ResponseForwarding.framing(of: framing, to: .http11) == .chunked)
    }
  }

  @Test func orderSpellingAndDuplicatesAreKept() throws {
    #expect(
      try forwarded(
        "HTTP/1.1 299 So  so\r\nx-A:1\r\ndate: then\r\ncontent-length: 5\r\nX-a: \t2 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n")
        == "HTTP/1.1 299 So  so\r\nx-A:1\r\ndate: then\r\ncontent-length: 5\r\nX-a: \t2 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n"
    )
  }

  @Test func theVersionIsOursAndDateIsAdded() throws {
    #expect(
      try forwarded("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: date\r\nDate: then\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: \(date)\r\n\r\n")
  }

  @Test func hopByHopFieldsEndHere() throws {
    #expect(
      try forwarded(
        "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: X-Own, close\r\nX-Own: 1\r\nKeep-Alive: 1\r\nProxy-Authenticate: x\r\nUpgrade: h2\r\n"
          + "Proxy-Connection: y\r\nContent-Length: 1\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\n\r\n")
  }

  @Test func unknownLengthsAreChunkedOrEndWithTheConnection() throws {
    let chunked = "HTTP/1.1 200 OK\r\nDate: d\r\ntransfer-encoding: CHUNKED\r\nA: 1\r\n\r\n"
    #expect(
      try forwarded(chunked) == "HTTP/1.1 200 OK\r\nDate: d\r\ntransfer-encoding: CHUNKED\r\nA: 1\r\n\r\n")
    #expect(
      try forwarded(chunked, to: .http10, persists: false)
        == "HTTP/1.1 200 OK\r\nDate: d\r\nA: 1\r\nConnection: close\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.0 200 OK\r\nDate: d\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n")
  }

  @Test func persistenceIsSaidWhereItIsNotTheDefault() throws {
    let head = "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n\r\n"
    #expect(!(try forwarded(head).contains("Connection")))
    #expect(try forwarded(head, persists: false).contains("\r\nConnection: close\r\n"))
    #expect(try forwarded(head, to: .http10).contains("\r\nConnection: keep-alive\r\n"))
    #expect(try forwarded(head, to: .http10, persists: false).contains("\r\nConnection: close\r\n"))
  }

  @Test func noFramingFieldIsSentWhereItIsForbidden() throws {
    let lines = "Date: d\r\nContent-Length: 5\r\n\r\n"
    #expect(
      try forwarded("HTTP/1.1 204 No Content\r\n" + lines) == "HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.1 200 OK\r\n" + lines, method: .connect) == "HTTP/1.1 200 OK\r\nDate: d\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 5\r\n\r\n")
        == "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
  }

  @Test func headAndNotModifiedKeepTheLengthIfItIsOne() throws {
    func hasLength(_ lines: String, method: HTTPMethod, status: Int) throws -> Bool {
      try forwarded("HTTP/1.1 \(status) \r\n\(lines)\r\n", method: method).contains("Content-Length: 5\r\n")
    }
    #expect(try hasLength("Content-Length: 5\r\n", method: .head, status: 200))
    #expect(try hasLength("Content-Length: 5\r\n", method: .get, status: 304))
    #expect(try hasLength("Content-Length: 5\r\nContent-Length: 5\r\n", method: .head, status: 200))
    #expect(!(try hasLength("Content-Length: 5\r\nContent-Length: 6\r\n", method: .head, status: 200)))
    #expect(!(try hasLength("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", method: .head, status: 200)))
    #expect(!(try forwarded("HTTP/1.1 200 \r\nContent-Length: x\r\n\r\n", method: .head).contains("Content-Length")))
  }

  @Test func informationalResponsesSayNothingOfTheConnectionOrTheTime() throws {
    #expect(
      try forwarded("HTTP/1.1 100 Continue\r\n\r\n", persists: false) == "HTTP/1.1 100 Continue\r\n\r\n")
  }

  @Test func anUpgradeIsForwardedWhenAsked() throws {
    #expect(
      try forwarded("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", upgrade: true)
        == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
  }

  @Test func mendedHeadsAreSentAsTheGrammarHasThem() throws {
    #expect(
      try forwarded("HTTP/1.1 200\nServer : x\nA: 1\n 2\nDate: d\nContent-Length: 1\n\n")
        == "HTTP/1.1 200 \r\nServer: x\r\nA: 1 2\r\nDate: d\r\nContent-Length: 1\r\n\r\n")
  }

  @Test func whatTheOriginSaysOfItsConnectionIsSaidOfTheClientsOwn() throws {
    let kept = "HTTP/1.1 200 OK\r\nDate: d\r\nconnection: Keep-Alive\r\nKeep-Alive: timeout=5\r\nContent-Length: 0\r\n\r\n"
    #expect(try forwarded(kept, paired: true) == kept)
    #expect(!(try forwarded(kept).contains("timeout")), "how long a shared connection lasts is nothing for a client")
    let closed = "HTTP/1.1 200 OK\r\nDate: d\r\nConnection:close\r\nContent-Length: 0\r\n\r\n"
    #expect(try forwarded(closed, persists: false, paired: true) == closed)
    #expect(!(try forwarded(closed, paired: true).contains("close")), "unless the client's connection leads elsewhere too")
  }

  @Test func aBodyThatEndsWithTheConnectionMayEndTheClients() {
    #expect(ResponseForwarding.framing(of: .untilClose, to: .http11, endsConnection: true) == .untilClose)
    #expect(ResponseForwarding.framing(of: .chunked, to: .http11, endsConnection: true) == .chunked)
  }

  @Test func chunksThatHEADWouldHaveHadAreAnnounced() throws {
    let head = "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(try forwarded(head, method: .head) == head)
    #expect(!(try forwarded(head, to: .http10, method: .head).contains("Transfer-Encoding")))
  }

  @Test func whatIsChangedIsListedAndNothingElseIs() throws {
    func changes(_ text: String, framing: BodyFraming, persists: Bool = true) throws -> [HeadChange] {
      var forwarding = ResponseForwarding(to: .get, of: .http11, framing: framing, persists: persists)
      forwarding.isPaired = true
      forwarding.date = date
      return forwarding.changes(of: try responseHead(text))
    }
    #expect(
      try changes("HTTP/1.1 200 OK\r\nDate: d\r\nKeep-Alive: timeout=5\r\nContent-Length: 3\r\n\r\n", framing: .length(3)) == [])
    #expect(
      try changes("HTTP/1.0 200 OK\r\nServer: x\r\n\r\n", framing: .untilClose, persists: false)
        == [.version(.http10, to: .http11), .added(name: "Date", value: date), .added(name: "Connection", value: "close")])
    #expect(
      try changes(
        "HTTP/1.1 200 OK\r\nDate: d\r\nUpgrade: h2c\r\nConnection: Upgrade\r\nContent-Length: 3\r\n\r\n", framing: .length(3))
        == [.removed(1), .removed(2)])
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
    "HTTP/1.0 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\n",
    "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\nKeep-Alive: max=1\r\n\r\n",
  ]) func aSentHeadHasTheSameChangesAsOneThatIsOnlyLookedAt(text: String) throws {
    let head = try responseHead(text, to: .get)
    let unsent = ResponseForwarding(to: .get, of: .http11, framing: .length(2), persists: true)
    var sent = unsent
    var output: [UInt8] = []
    sent.append(head, into: &output)
    #expect(sent.changes(of: head) == unsent.changes(of: head))
    #expect(sent.changes(of: head).isEmpty == (output == Array(text.utf8)))
  }

  @Test("A head of HTTP/2 gets the registered phrase in HTTP/1.1 (RFC 9112 4)") func fromHTTP2() {
    var fields = HeaderFields()
    fields.append(name: "date", value: "d")
    let head = ResponseHead(status: 404, reason: "", version: .http2, fields: fields)
    var forwarding = ResponseForwarding(to: .get, of: .http11, framing: .length(0), persists: true)
    var output: [UInt8] = []
    forwarding.append(head, into: &output)
    #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 404 Not Found\r\ndate: d\r\nContent-Length: 0\r\n\r\n")
    #expect(forwarding.changes(of: head).first == .version(.http2, to: .http11))
  }

  @Test("For a client that speaks HTTP/2, the lines of one connection end here (RFC 9113 8.2.2)") func toHTTP2() throws {
    var forwarding = ResponseForwarding(to: .get, of: .http2, framing: .chunked, persists: true)
    forwarding.date = date
    let head = try responseHead("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: x\r\nX: 1\r\nY: 2\r\n\r\n")
    #expect(
      forwarding.changes(of: head)
        == [.version(.http11, to: .http2), .removed(0), .removed(1), .removed(2), .added(name: "Date", value: date)])
    var own = HeaderFields()
    own.append(name: "date", value: "d")
    #expect(forwarding.changes(of: ResponseHead(status: 200, reason: "", version: .http2, fields: own)).isEmpty)
  }
}
