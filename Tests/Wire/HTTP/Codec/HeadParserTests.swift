import Testing

@testable import TapelineHTTP

@Suite struct HeadParserTests {
  @Test(arguments: [
    ("GET / HTTP/1.1", nil), ("GET / HTTP/1.0", nil), ("GET / HTTP/1.9", nil),
    ("GET  / HTTP/1.1", HTTPParseError.Kind.invalidRequestLine),
    ("GET /  HTTP/1.1", .invalidVersion), ("GET\t/ HTTP/1.1", .invalidMethod), ("GET / HTTP/1.1 ", .invalidRequestLine),
    ("GET /", .invalidRequestLine), ("GET", .invalidRequestLine), ("GET / http/1.1", .invalidVersion),
    ("GET / HTTP/11", .invalidVersion),
    ("GET / HTTP/1.10", .invalidRequestLine), ("GET / HTTP/1,1", .invalidVersion), ("GET / HTTP/+1.1", .invalidVersion),
    ("GET / HTTP/2.0", .unsupportedVersion), ("GET / HTTP/0.9", .unsupportedVersion), ("PRI * HTTP/2.0", .unsupportedVersion),
    ("GET / HTTP/", .invalidVersion), ("G(T / HTTP/1.1", .invalidMethod), ("GET /\u{0B} HTTP/1.1", .invalidTarget),
  ])
  func requestLinesAreStrict(line: String, kind: HTTPParseError.Kind?) {
    #expect(refusal(ofRequest: "\(line)\r\nHost: a\r\n\r\n") == kind)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK", nil), ("HTTP/1.1 200 ", nil), ("HTTP/1.1 200", nil), ("HTTP/1.1 999 x", nil), ("HTTP/1.1 100 ", nil),
    ("HTTP/1.1 099 x", HTTPParseError.Kind.invalidStatusLine), ("HTTP/1.1 20 OK", .invalidStatusLine),
    ("HTTP/1.1 2000 OK", .invalidStatusLine),
    ("HTTP/1.1 2x0 OK", .invalidStatusLine), ("HTTP/1.1  200 OK", .invalidStatusLine), ("HTTP/1.1\t200 OK", .invalidStatusLine),
    ("HTTP/2.0 200 OK", .unsupportedVersion), ("http/1.1 200 OK", .invalidVersion), ("ICY 200 OK", .invalidVersion),
    ("HTTP/1.1", .invalidStatusLine),
    ("HTTP/1.1 -20 OK", .invalidStatusLine), ("HTTP/1.1 200 O\u{0}K", .invalidStatusLine),
    ("HTTP/1.1 200 O\rK", .bareCarriageReturn),
    ("", .invalidVersion),
  ])
  func statusLinesAreStrictButForTheLastSpace(line: String, kind: HTTPParseError.Kind?) {
    #expect(refusal(ofResponse: "\(line)\r\n\r\n") == kind)
  }

  @Test func aMissingSpaceAfterTheStatusIsNoted() throws {
    let head = try responseHead("HTTP/1.1 200\r\n\r\n")
    #expect(head.reason == "")
    #expect(head.anomalies == .missingSpaceAfterStatus)
  }

  @Test func theReasonIsAnyText() throws {
    let bytes = Array("HTTP/1.1 404 ".utf8) + [0xE9, 0x09] + Array(" nix\r\n\r\n".utf8)
    #expect(try responseHead(bytes).reason == "é\t nix")
  }

  @Test(arguments: [
    ("", HTTPParseError.Kind.missingHost), ("Host: a\r\nHost: a\r\n", .severalHosts), ("Host: a\r\nhost: b\r\n", .severalHosts),
    ("Host: a b\r\n", .invalidHost), ("Host: a/b\r\n", .invalidHost), ("Host: u@a\r\n", .invalidHost),
    ("Host: a:b\r\n", .invalidHost),
    ("Host: a,b:c\r\n", .invalidHost), ("Host: [::1\r\n", .invalidHost), ("Host: a:70000\r\n", .invalidHost),
    ("Host: a?b\r\n", .invalidHost), ("Host: a#b\r\n", .invalidHost),
  ])
  func hostIsOneAndValid(lines: String, kind: HTTPParseError.Kind) {
    #expect(refusal(ofRequest: "GET / HTTP/1.1\r\n\(lines)\r\n") == kind)
    #expect(refusal(ofRequest: "GET http://a/ HTTP/1.1\r\n\(lines)\r\n") == kind)
    #expect(refusal(ofRequest: "GET / HTTP/1.0\r\n\(lines)\r\n") == (kind == .missingHost ? nil : kind))
  }

  @Test(arguments: ["a", "a:80", "[::1]", "[::1]:80", "a.b-c_d", "", "a:", "bücher.example:80"])
  func validHostsAreTaken(value: String) throws {
    #expect(try requestHead("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n").fields.first(of: .host) == value)
  }

  @Test func trailersAreFields() throws {
    let fields = try HeadParser.trailers(Array("A: 1\r\nB: 2\r\n\r\n".utf8), lineCount: 3, in: .response)
    #expect(fields == ["A": "1", "B": "2"])
    #expect(throws: HTTPParseError(.bareLineFeed, in: .response)) {
      try HeadParser.trailers(Array("A: 1\n\r\n".utf8), lineCount: 2, in: .response)
    }
  }
}
