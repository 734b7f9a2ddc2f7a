import Testing

@testable import TapelineHTTP

@Suite struct HTTP1ConnectionClientTests {
  @Test func responsesAnswerOneAfterTheOther() {
    let conversation = read(
      "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 204 No Content\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nd\r\n0\r\n\r\n", as: .client, to: [.get, .get, .get])
    #expect(
      conversation.entries == [
        .response(200, reason: "OK", fields: ["Content-Length": "3"], anomalies: [], framing: .length(3)),
        .body(Array("abc".utf8)), .end,
        .response(204, reason: "No Content", fields: [:], anomalies: [], framing: .none), .end,
        .response(200, reason: "OK", fields: ["Transfer-Encoding": "chunked"], anomalies: [], framing: .chunked),
        .body(Array("d".utf8)), .end, .closed,
      ])
  }

  @Test("Content with a length can be skipped, all but its last byte, which ends the message")
  func skipping() throws {
    var connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: .get)
    #expect(connection.contentLeft == nil)
    let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab".utf8)
    var offset = 0
    _ = try connection.receive(head.span, from: &offset)
    #expect(connection.contentLeft == 10)
    _ = try connection.receive(head.span, from: &offset)
    #expect(connection.contentLeft == 8)
    connection.skipContent(7)
    #expect(connection.contentLeft == 1)
    offset = 0
    let last = Array("j".utf8)
    guard case .body(0..<1)? = try connection.receive(last.span, from: &offset) else {
      Issue.record("the last byte is content")
      return
    }
    guard case .end? = try connection.receive(last.span, from: &offset) else {
      Issue.record("the message is complete")
      return
    }
    #expect(connection.isIdle && connection.contentLeft == nil)
  }

  @Test func informationalResponsesEndNothing() {
    let conversation = read(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      as: .client)
    #expect(
      conversation.entries == [
        .informational(100, fields: [:]), .informational(103, fields: ["Link": "x"]),
        .response(200, reason: "OK", fields: ["Content-Length": "0"], anomalies: [], framing: .length(0)), .end, .closed,
      ])
  }

  @Test func informationalResponsesAreBounded() {
    let hint = "HTTP/1.1 103 \r\n\r\n"
    let limits = HTTPLimits(informationalResponses: 2 * (hint.utf8.count + 512))
    let final = "HTTP/1.1 204 \r\n\r\n"
    #expect(read(hint + hint + final, as: .client, limits: limits).error == nil)
    #expect(read(hint + hint + hint + final, as: .client, limits: limits).error == .tooManyInformationalResponses)
  }

  @Test func contentUntilTheConnectionEndsIsComplete() {
    let conversation = read("HTTP/1.0 200 OK\r\n\r\nabc", as: .client)
    #expect(
      conversation.entries == [
        .response(200, reason: "OK", fields: [:], anomalies: [], framing: .untilClose), .body(Array("abc".utf8)), .end,
      ])
  }

  @Test func contentCutShortIsNeverMadeToLookComplete() {
    #expect(read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab", as: .client).error == .truncatedBody)
    #expect(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", as: .client).error == .truncatedBody)
    #expect(read("HTTP/1.1 200", as: .client).error == .truncatedHead)
    #expect(read("", as: .client).entries == [.closed])
  }

  @Test func headAndConnectChangeTheFraming() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"
    #expect(read(head, as: .client, to: [.head]).entries.suffix(2) == [.end, .closed])
    #expect(read(head + "\u{0}x", as: .client, to: [.connect]).entries.suffix(2) == [.opaque(rest: [0, 0x78]), .closed])
    #expect(read("HTTP/1.1 502 \r\nContent-Length: 1\r\n\r\nx", as: .client, to: [.connect]).body == [0x78])
  }

  @Test func switchingProtocolsEndsTheMessages() {
    let conversation = read("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}", as: .client)
    #expect(
      conversation.entries == [
        .response(101, reason: "Switching Protocols", fields: ["Upgrade": "websocket"], anomalies: [], framing: .none), .end,
        .opaque(rest: [1, 2]), .closed,
      ])
  }

  @Test func bytesThatAnswerNothingAreRefused() {
    #expect(read("HTTP/1.1 204 \r\n\r\nx", as: .client).error == .unsolicitedBytes)
    #expect(read("x", as: .client, to: []).error == .unsolicitedBytes)
    #expect(read("HTTP/1.1 204 \r\n\r\n\r\n", as: .client).error == .unsolicitedBytes)
    #expect(read("\r\nHTTP/1.1 204 \r\n\r\n", as: .client).error == .invalidVersion)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true),
    ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false),
    ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false),
    ("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", true),
    ("HTTP/1.1 200 OK\r\n\r\n", false), ("HTTP/1.1 304 \r\n\r\n", true),
  ])
  func persistenceIsKnownFromTheHead(text: String, persists: Bool) throws {
    var connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: .get)
    var offset = 0
    _ = try connection.receive(Array(text.utf8).span, from: &offset)
    let mayPersist = connection.mayPersist
    #expect(mayPersist == persists)
  }

  @Test func aConnectionThatMayNotPersistIsNotIdleAgain() throws {
    var connection = HTTP1Connection(role: .client)
    connection.expectResponse(to: .get)
    let bytes = Array("HTTP/1.1 204 \r\nConnection: close\r\n\r\nmore".utf8)
    var offset = 0
    _ = try connection.receive(bytes.span, from: &offset)
    _ = try connection.receive(bytes.span, from: &offset)
    let isIdle = connection.isIdle
    #expect(!isIdle)
    #expect(try connection.receive(bytes.span, from: &offset) == nil)
    #expect(offset == bytes.count)
  }

  @Test func mendedHeadsAreFlagged() {
    let conversation = read("HTTP/1.1 200\nServer : x\nA: 1\n 2\nContent-Length: 1\n\nz", as: .client)
    #expect(
      conversation.entries == [
        .response(
          200, reason: "", fields: ["Server": "x", "A": "1 2", "Content-Length": "1"],
          anomalies: [.bareLineFeed, .blankBeforeColon, .lineFolding, .missingSpaceAfterStatus], framing: .length(1)),
        .body([0x7A]), .end, .closed,
      ])
  }

  @Test func theStatusLineIsBounded() {
    let limits = HTTPLimits(statusLine: 17)
    #expect(read("HTTP/1.1 204 abc\r\n\r\n", as: .client, limits: limits).error == .statusLineTooLong)
    #expect(read("HTTP/1.1 204 ab\r\n\r\n", as: .client, limits: limits).error == nil)
  }

  @Test func twoResponsesAreNotExpectedAtOnce() async {
    await #expect(processExitsWith: .failure) {
      var connection = HTTP1Connection(role: .client)
      connection.expectResponse(to: .get)
      connection.expectResponse(to: .get)
    }
  }
}
