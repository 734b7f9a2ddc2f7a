import Testing

@testable import TapelineHTTP

@Suite struct RequestHeadTests {
  /// A larger one is copied by a call of `memcpy`, nineteen times for each exchange.
  @Test func isCopiedInPlace() {
    #expect(MemoryLayout<RequestHead>.size <= 128)
    #expect(MemoryLayout<HTTPEvent>.size <= 128)
  }

  @Test func aHeadKeepsWhatCame() throws {
    let text = "PROPFIND http://u:p@a/b HTTP/1.1\r\nhOST:a\r\nX:\t1 \r\n\r\n"
    let head = try requestHead(text)
    #expect(head.method.rawValue == "PROPFIND")
    #expect(head.targetText == "http://u:p@a/b")
    #expect(head.version == .http11)
    #expect(head.size == text.utf8.count)
    #expect(head.bytes == Array(text.utf8))
    #expect(head.fields == ["hOST": "a", "X": "1"])
  }

  @Test func aHeadOfOurOwnPassesTheSameChecks() throws {
    let head = try RequestHead(method: .get, target: "http://a/b", fields: ["X": "1", "X": "2"])
    #expect(head.fields == ["X": "1", "X": "2"])
    #expect(head.version == .http11)
    guard case .absolute(let target) = head.target else {
      Issue.record("not absolute-form")
      return
    }
    #expect(target.host == "a")
    let old = try RequestHead(method: .options, target: "*", version: .http10)
    #expect(old.version == .http10)
  }

  @Test(arguments: ["http://a/ HTTP/1.1\r\nX: y", "http://a/\r\n\r\n", "http://a/ b", "a:1", ""])
  func nothingIsSmuggledThroughATargetOfOurOwn(target: String) {
    #expect(throws: HTTPParseError.self) { try RequestHead(method: .get, target: target) }
  }

  @Test func nothingIsSmuggledThroughAMethodOfOurOwn() {
    #expect(throws: HTTPParseError(.invalidMethod, in: .request)) {
      try RequestHead(method: HTTPMethod(rawValue: "GET /x HTTP/1.1\r\nA: b\r\n\r\nGET"), target: "http://a/")
    }
    #expect(throws: HTTPParseError(.invalidMethod, in: .request)) {
      try RequestHead(method: HTTPMethod(rawValue: ""), target: "http://a/")
    }
  }

  @Test func expectationsAreUnderstoodOrUnknown() throws {
    func expectation(_ lines: String, version: String = "1.1") throws -> RequestHead.Expectation {
      try requestHead("PUT / HTTP/\(version)\r\nHost: a\r\n\(lines)\r\n").expectation
    }
    #expect(try expectation("") == .none)
    #expect(try expectation("Expect: 100-Continue\r\n") == .continue)
    #expect(try expectation("Expect: 100-continue\r\n", version: "1.0") == .none)
    #expect(try expectation("Expect: 200-ok\r\n") == .unknown)
    #expect(try expectation("Expect: 100-continue, x\r\n") == .unknown)
    #expect(try expectation("Expect: 100-continue\r\nExpect: x\r\n") == .unknown)
  }

  @Test(arguments: [
    ("GET http://a.example:80/ HTTP/1.1\r\nHost: b\r\n\r\n", "a.example"), ("GET / HTTP/1.1\r\nHost: b:81\r\n\r\n", "b"),
    ("GET / HTTP/1.1\r\nHost: [::1]:81\r\n\r\n", "::1"), ("OPTIONS * HTTP/1.1\r\nHost: b\r\n\r\n", "b"),
    ("CONNECT c.example:443 HTTP/1.1\r\nHost: b\r\n\r\n", "c.example"), ("GET / HTTP/1.0\r\n\r\n", nil),
  ])
  func theHostThatIsNamed(_ text: String, _ host: String?) throws {
    #expect(try requestHead(text).namedHost == host)
  }

  @Test func maxForwardsCountsForTraceAndOptionsOnly() throws {
    func limit(_ method: String, _ value: String) throws -> UInt64? {
      try requestHead("\(method) / HTTP/1.1\r\nHost: a\r\nMax-Forwards: \(value)\r\n\r\n").maxForwards
    }
    #expect(try limit("TRACE", "0") == 0)
    #expect(try limit("OPTIONS", "10") == 10)
    #expect(try limit("GET", "10") == nil)
    for value in ["x", "", "+1", "-1", "1 2", "0x1", "1, 0"] { #expect(try limit("TRACE", value) == nil, "\(value)") }
    #expect(try limit("TRACE", "18446744073709551615") == .max)
    #expect(try limit("TRACE", "99999999999999999999999999") == .max, "the most that we can hold")
  }
}
