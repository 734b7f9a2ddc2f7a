import Testing

@testable import TapelineHTTP

@Suite struct ForwardedResponseTests {
  private let date = "Fri, 21 Nov 2026 09:45:49 GMT"

  private func forwarded(
    _ text: String, to version: HTTPVersion = .http11, method: HTTPMethod = .get, persists: Bool = true, upgrade: Bool = false
  ) throws -> String {
    let head = try responseHead(text, to: method)
    let framing = ForwardedResponse.framing(of: try BodyFraming.ofResponse(head, to: method), to: version)
    var output: [UInt8] = []
    ForwardedResponse.append(
      head: head, to: version, requestMethod: method, framing: framing, persists: persists, date: date, forwardsUpgrade: upgrade,
      into: &output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func theFramingIsWhatTheClientUnderstands() {
    for framing in [BodyFraming.none, .length(0), .length(5)] {
      #expect(ForwardedResponse.framing(of: framing, to: .http10) == framing)
      #expect(ForwardedResponse.framing(of: framing, to: .http11) == framing)
    }
    for framing in [BodyFraming.chunked, .untilClose] {
      #expect(ForwardedResponse.framing(of: framing, to: .http10) == .untilClose)
      #expect(ForwardedResponse.framing(of: framing, to: .http11) == .chunked)
    }
  }

  @Test func orderSpellingAndDuplicatesAreKept() throws {
    #expect(
      try forwarded(
        "HTTP/1.1 299 So  so\r\nx-A:1\r\ndate: then\r\ncontent-length: 5\r\nX-a: \t2 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\n\r\n")
        == "HTTP/1.1 299 So  so\r\nx-A:1\r\ndate: then\r\ncontent-length: 5\r\nX-a: \t2 \r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
        + "Via: 1.1 tapeline\r\n\r\n")
  }

  @Test func theVersionIsOursAndDateIsAdded() throws {
    #expect(
      try forwarded("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: date\r\nDate: then\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nDate: \(date)\r\nVia: 1.0 tapeline\r\n\r\n")
  }

  @Test func hopByHopFieldsEndHere() throws {
    #expect(
      try forwarded(
        "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: X-Own, close\r\nX-Own: 1\r\nKeep-Alive: 1\r\nProxy-Authenticate: x\r\nUpgrade: h2\r\n"
          + "Proxy-Connection: y\r\nContent-Length: 1\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\nVia: 1.1 tapeline\r\n\r\n")
  }

  @Test func unknownLengthsAreChunkedOrEndWithTheConnection() throws {
    let chunked = "HTTP/1.1 200 OK\r\nDate: d\r\ntransfer-encoding: CHUNKED\r\nA: 1\r\n\r\n"
    #expect(
      try forwarded(chunked) == "HTTP/1.1 200 OK\r\nDate: d\r\ntransfer-encoding: chunked\r\nA: 1\r\nVia: 1.1 tapeline\r\n\r\n")
    #expect(
      try forwarded(chunked, to: .http10, persists: false)
        == "HTTP/1.1 200 OK\r\nDate: d\r\nA: 1\r\nConnection: close\r\nVia: 1.1 tapeline\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.0 200 OK\r\nDate: d\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\nVia: 1.0 tapeline\r\n\r\n")
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
      try forwarded("HTTP/1.1 204 No Content\r\n" + lines) == "HTTP/1.1 204 No Content\r\nDate: d\r\nVia: 1.1 tapeline\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.1 200 OK\r\n" + lines, method: .connect) == "HTTP/1.1 200 OK\r\nDate: d\r\nVia: 1.1 tapeline\r\n\r\n")
    #expect(
      try forwarded("HTTP/1.1 103 Early Hints\r\nLink: x\r\nContent-Length: 5\r\n\r\n")
        == "HTTP/1.1 103 Early Hints\r\nLink: x\r\nVia: 1.1 tapeline\r\n\r\n")
  }

  @Test func headAndNotModifiedKeepTheLengthIfItIsOne() throws {
    func hasLength(_ lines: String, method: HTTPMethod, status: Int) throws -> Bool {
      try forwarded("HTTP/1.1 \(status) \r\n\(lines)\r\n", method: method).contains("Content-Length: 5\r\n")
    }
    #expect(try hasLength("Content-Length: 5\r\n", method: .head, status: 200))
    #expect(try hasLength("Content-Length: 5\r\n", method: .get, status: 304))
    #expect(!(try hasLength("Content-Length: 5\r\nContent-Length: 5\r\n", method: .head, status: 200)))
    #expect(!(try hasLength("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", method: .head, status: 200)))
    #expect(!(try forwarded("HTTP/1.1 200 \r\nContent-Length: x\r\n\r\n", method: .head).contains("Content-Length")))
  }

  @Test func informationalResponsesSayNothingOfTheConnectionOrTheTime() throws {
    #expect(
      try forwarded("HTTP/1.1 100 Continue\r\n\r\n", persists: false) == "HTTP/1.1 100 Continue\r\nVia: 1.1 tapeline\r\n\r\n")
  }

  @Test func anUpgradeIsForwardedWhenAsked() throws {
    #expect(
      try forwarded("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", upgrade: true)
        == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nVia: 1.1 tapeline\r\n\r\n")
  }

  @Test func mendedHeadsAreSentAsTheGrammarHasThem() throws {
    #expect(
      try forwarded("HTTP/1.1 200\nServer : x\nA: 1\n 2\nDate: d\nContent-Length: 1\n\n")
        == "HTTP/1.1 200 \r\nServer: x\r\nA: 1 2\r\nDate: d\r\nContent-Length: 1\r\nVia: 1.1 tapeline\r\n\r\n")
  }
}
