import TapelineBase
import Testing

@testable import TapelineHTTP

@Suite struct HTTP1ConnectionServerTests {
  private let get = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func pipelinedRequestsComeOneAfterTheOther() {
    let conversation = read(
      "POST http://a/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + get
        + "PUT http://a/2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n" + get,
      as: .server)
    #expect(
      conversation.entries == [
        .request(method: "POST", target: "http://a/1", fields: ["Host": "a", "Content-Length": "3"], framing: .length(3)),
        .body(Array("abc".utf8)), .end,
        .request(method: "GET", target: "http://a/", fields: ["Host": "a"], framing: .none), .end,
        .request(method: "PUT", target: "http://a/2", fields: ["Host": "a", "Transfer-Encoding": "chunked"], framing: .chunked),
        .body(Array("de".utf8)), .trailers(["T": "1"]), .end,
        .request(method: "GET", target: "http://a/", fields: ["Host": "a"], framing: .none), .end, .closed,
      ])
  }

  @Test func theBytesOfTheNextRequestAreNotTouchedBeforeTheCallerAsks() throws {
    let bytes = Array((get + get).utf8)
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    _ = try connection.receive(bytes.span, from: &offset)
    guard case .end = try connection.receive(bytes.span, from: &offset) else {
      Issue.record("no end")
      return
    }
    #expect(offset == get.utf8.count)
    let isIdle = connection.isIdle
    #expect(isIdle)
  }

  @Test func theEndNeedsNoInput() throws {
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    _ = try connection.receive(Array(get.utf8).span, from: &offset)
    var nothing = 0
    guard case .end = try connection.receive([UInt8]().span, from: &nothing) else {
      Issue.record("no end")
      return
    }
    #expect(try connection.receive([UInt8]().span, from: &nothing) == nil)
  }

  @Test func oneEmptyLineBeforeARequestIsSkipped() {
    #expect(read("\r\n" + get, as: .server).error == nil)
    #expect(read(get + "\r\n" + get, as: .server).error == nil)
    #expect(read(get + "\r\n", as: .server).entries.last == .closed)
    #expect(read("\r\n\r\n" + get, as: .server).error == .invalidRequestLine)
    #expect(read("\n" + get, as: .server).error == .invalidRequestLine)
    #expect(read("\rX" + get, as: .server).error == .bareCarriageReturn)
  }

  @Test func whatBeginsNoMethodIsRefusedAtItsFirstByte() {
    for byte in UInt8.min...UInt8.max where byte != 0x0D {
      let conversation = Conversation.reading([[byte]], as: .server, closes: false)
      #expect(conversation.error == (ByteSet.token.contains(byte) ? nil : .invalidRequestLine), "byte \(byte)")
    }
  }

  @Test(arguments: [
    ("HEAD http://a/ HTTP/1.1\r\n\r\n", true), ("HEAD http://a/ HTTP/1.1\r\nHost: a\r\nX : y\r\n\r\n", true),
    ("HEAD http://a/\u{1} HTTP/1.1\r\n\r\n", true), ("HEADER http://a/ HTTP/1.1\r\n\r\n", false),
    ("head http://a/ HTTP/1.1\r\n\r\n", false), ("GET http://a/ HTTP/1.1\r\n\r\n", false), ("\u{1}", false),
  ])
  func aRefusedHeadRequestIsKnownAsOne(text: String, isHead: Bool) {
    let bytes = Array(text.utf8)
    for split in bytes.indices {
      var connection = HTTP1Connection(role: .server)
      var isRefused = false
      do throws(HTTPParseError) {
        for piece in [Array(bytes[..<split]), Array(bytes[split...])] {
          var offset = 0
          _ = try connection.receive(piece.span, from: &offset)
        }
      } catch {
        isRefused = true
      }
      let refusedHead = connection.refusedHead
      #expect(isRefused && refusedHead == isHead, "cut at \(split)")
    }
  }

  @Test func afterCloseNothingIsRead() {
    let conversation = read("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + get + "\u{0}", as: .server)
    #expect(conversation.entries.count == 3)
    #expect(conversation.entries.suffix(2) == [.end, .closed])
    #expect(read("GET / HTTP/1.0\r\n\r\n" + get, as: .server).entries.count == 3)
    #expect(read("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get, as: .server).entries.count == 5)
  }

  @Test func afterConnectTheBytesAreNoMessages() {
    let conversation = read("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n\u{16}\u{3}\u{1}GET", as: .server)
    #expect(
      conversation.entries == [
        .request(method: "CONNECT", target: "a:443", fields: ["Host": "a:443"], framing: .none), .end,
        .opaque(rest: Array("\u{16}\u{3}\u{1}GET".utf8)), .closed,
      ])
  }

  @Test func afterAnErrorNothingIsRead() throws {
    var connection = HTTP1Connection(role: .server)
    var offset = 0
    #expect(throws: HTTPParseError(.bareLineFeed, in: .request)) {
      try connection.receive(Array("GET / HTTP/1.1\n\n".utf8).span, from: &offset)
    }
    let mayPersist = connection.mayPersist
    #expect(!mayPersist)
    offset = 0
    let bytes = Array(get.utf8)
    #expect(try connection.receive(bytes.span, from: &offset) == nil)
    #expect(offset == bytes.count)
    #expect(try connection.receiveEnd() == nil)
  }

  @Test func aRequestCutShortIsRefused() {
    #expect(read("GET / HT", as: .server).error == .truncatedHead)
    #expect(read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab", as: .server).error == .truncatedBody)
    #expect(read("", as: .server).entries == [.closed])
    #expect(read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", as: .server).error == nil)
  }

  @Test func everyBoundIsExact() {
    var limits = HTTPLimits(requestLine: 16, headerBlock: 20)
    #expect(read("GET / HTTP/1.1\r\nHost: a\r\nX: 4567\r\n\r\n", as: .server, limits: limits).error == nil)
    #expect(read("GET / HTTP/1.1\r\nHost: a\r\nX: 45678\r\n\r\n", as: .server, limits: limits).error == .headerBlockTooLarge)
    #expect(read("GET /a HTTP/1.1\r\nHost: a\r\n\r\n", as: .server, limits: limits).error == .requestLineTooLong)
    #expect(read(String(repeating: "G", count: 17), as: .server, limits: limits).error == .requestLineTooLong)
    limits = HTTPLimits(fields: 2)
    #expect(read("GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\n\r\n", as: .server, limits: limits).error == nil)
    #expect(read("GET / HTTP/1.1\r\nHost: a\r\nB: 1\r\nC: 1\r\n\r\n", as: .server, limits: limits).error == .tooManyFields)
  }

  @Test func theDefaultBoundsHold() {
    let long = String(repeating: "a", count: 1 << 20)
    #expect(
      Conversation.reading([Array("GET /\(long) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)], as: .server).error == .requestLineTooLong)
    let fields = (0..<10_000).map { "X: \($0)\r\n" }.joined()
    #expect(Conversation.reading([Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)], as: .server).error == .tooManyFields)
    let block = "X: \(String(repeating: "a", count: 1 << 20))\r\n"
    #expect(
      Conversation.reading([Array("GET / HTTP/1.1\r\nHost: a\r\n\(block)\r\n".utf8)], as: .server).error == .headerBlockTooLarge)
  }

  @Test func errorsSayTheStatusToAnswerWith() {
    func status(_ text: String) -> Int? {
      guard case .error(_, let status) = read(text, as: .server).entries.last else { return nil }
      return status
    }
    #expect(status("GET / HTTP/2.0\r\n\r\n") == 505)
    #expect(status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: foo, chunked\r\n\r\n") == 501)
    #expect(status("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n") == 400)
  }
}
