import TapelineBase
import Testing

@testable import TapelineHTTP

@Suite struct FieldLineParserTests {
  private func request(_ lines: String) -> HTTPParseError.Kind? {
    refusal(ofRequest: "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")
  }

  private func response(_ lines: String) throws -> ResponseHead {
    try responseHead("HTTP/1.1 200 OK\r\n\(lines)\r\n")
  }

  @Test(arguments: [
    ("X: 1\n", HTTPParseError.Kind.bareLineFeed), ("X: 1\r2\r\n", .bareCarriageReturn), ("X: 1\r\r\n", .bareCarriageReturn),
    ("\rX: 1\r\n", .bareCarriageReturn), ("X : 1\r\n", .blankBeforeColon), ("X\t: 1\r\n", .blankBeforeColon),
    ("X: 1\r\n 2\r\n", .lineFolding),
    ("X: 1\r\n\t2\r\n", .lineFolding), ("X: 1\r\n \r\n", .lineFolding), ("X\r\n", .invalidFieldName),
    (": 1\r\n", .invalidFieldName),
    ("X Y: 1\r\n", .invalidFieldName), ("(X): 1\r\n", .invalidFieldName), ("X: \u{0}\r\n", .invalidFieldValue),
    ("Content_Length: 1\r\n", .underscoreFraming), ("transfer_encoding: x\r\n", .underscoreFraming),
    ("é: 1\r\n", .invalidFieldName), ("X\u{0}: 1\r\n", .invalidFieldName),
  ])
  func requestsAreNotMended(lines: String, kind: HTTPParseError.Kind) {
    #expect(request(lines) == kind)
  }

  @Test func noBlankComesBeforeTheFirstField() {
    #expect(refusal(ofRequest: "GET / HTTP/1.1\r\n Host: a\r\n\r\n") == .blankBeforeFirstField)
    #expect(refusal(ofResponse: "HTTP/1.1 200 OK\r\n X: 1\r\n\r\n") == .blankBeforeFirstField)
  }

  @Test func aLineFeedAloneEndsNoRequest() {
    #expect(refusal(ofRequest: "GET / HTTP/1.1\nHost: a\n\n") == .bareLineFeed)
    #expect(refusal(ofRequest: "GET / HTTP/1.1\r\nHost: a\r\n\n") == .bareLineFeed)
  }

  @Test func namesAreTokensByteByByte() {
    for byte in UInt8.min...UInt8.max {
      let line = Array("X".utf8) + [byte] + Array("Y: 1\r\n\r\n".utf8)
      let isToken = ByteSet.token.contains(byte)
      // A colon ends the name: what follows is the value.
      let isName = isToken || byte == UInt8(ascii: ":")
      #expect((refusal(ofRequest: Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + line) == nil) == isName, "byte \(byte)")
      // All clients that take another byte in a response read the same message.
      let isVisible = (0x21...0x7E).contains(byte)
      #expect((refusal(ofResponse: Array("HTTP/1.1 200 OK\r\n".utf8) + line) == nil) == isVisible, "byte \(byte)")
    }
  }

  @Test func valuesAreTextByteByByte() throws {
    for byte in UInt8.min...UInt8.max {
      let line = Array("X: 1".utf8) + [byte] + Array("2\r\n\r\n".utf8)
      let isSafe = byte != 0 && byte != 0x0A && byte != 0x0D
      #expect((refusal(ofRequest: Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8) + line) == nil) == isSafe, "byte \(byte)")
      let came = Array("HTTP/1.1 200 OK\r\n".utf8) + line
      switch byte {
      case 0x00: #expect(refusal(ofResponse: came) == .invalidFieldValue)
      case 0x0D: #expect(refusal(ofResponse: came) == .bareCarriageReturn)
      case 0x0A: #expect(refusal(ofResponse: came) == .invalidFieldName)
      default:
        let head = try responseHead(came)
        let fields = head.fields
        let isText = byte == 0x09 || (byte >= 0x20 && byte != 0x7F)
        #expect(head.anomalies == (isText ? [] : .controlInValue), "byte \(byte)")
        #expect(fields.withValueBytes(at: 0) { [UInt8](copying: $0) } == [0x31, byte, 0x32])
      }
    }
  }

  @Test func blanksAroundValuesAreNoPartOfThem() throws {
    let fields = try response("A:1\r\nB: \t2 3\t \r\nC:\r\nD: \r\n").fields
    #expect(fields.map(\.value) == ["1", "2 3", "", ""])
  }

  @Test func foldsOfResponsesAreReadAsOneSpace() throws {
    let head = try response("A: 1 \r\n\t 2\r\n   \r\n 3 \r\nB: 4\r\nC:\r\n 5\r\n")
    #expect(head.fields == ["A": "1 2 3", "B": "4", "C": "5"])
    #expect(head.anomalies == .lineFolding)
    #expect(head.size == "HTTP/1.1 200 OK\r\n\r\n".utf8.count + "A: 1 \r\n\t 2\r\n   \r\n 3 \r\nB: 4\r\nC:\r\n 5\r\n".utf8.count)
  }

  @Test func blanksBeforeColonsOfResponsesAreRemoved() throws {
    let head = try response("Server \t: x\r\n")
    #expect(head.fields == ["Server": "x"])
    #expect(head.fields.contains(.server))
    #expect(head.anomalies == .blankBeforeColon)
  }

  @Test("The name of a response's field may be odd: it is kept, and is nothing that we know")
  func oddNames() throws {
    for name in ["X(Y)", "@", "", "Content-Length@", "Transfer[Encoding"] {
      let head = try response("\(name): y\r\n")
      #expect(head.fields.map(\.name) == [name])
      #expect(head.fields.knownName(at: 0) == .other)
      #expect(head.fields.lines[0].verbatimRange != nil)
      #expect(head.anomalies == .oddFieldName)
    }
    #expect(try response("X(Y) : y\r\n").anomalies == [.oddFieldName, .blankBeforeColon])
    #expect(throws: HTTPParseError(.oddFieldName, in: .response)) { try response("Server x: y\r\n") }
    #expect(throws: HTTPParseError(.oddFieldName, in: .response)) { try response("Sérver: y\r\n") }
    #expect(throws: HTTPParseError(.invalidFieldName, in: .response)) { try response("no colon\r\n") }
    #expect(throws: HTTPParseError(.invalidFieldName, in: .response)) { try response("A: 1\r\nX\u{b}Y: 1\r\n") }
  }

  @Test func bareLineFeedsOfResponsesEndLines() throws {
    let head = try responseHead("HTTP/1.1 200 OK\nA: 1\nB: 2\r\n\n")
    #expect(head.fields == ["A": "1", "B": "2"])
    #expect(head.reason == "OK")
    #expect(head.anomalies == .bareLineFeed)
  }

  @Test func mendedLinesAreNotSentOnAsTheyCame() throws {
    let head = try response("A : 1\r\nB: 2\r\nC: 3\r\n 4\r\nD: 5\n")
    #expect(head.fields.lines.map { $0.verbatimRange != nil } == [false, true, false, false])
  }
}
