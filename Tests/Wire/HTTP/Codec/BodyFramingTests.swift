import Testing

@testable import TapelineHTTP

@Suite struct BodyFramingTests {
  /// The framing of a request with these field lines, or what it is refused for.
  private func request(_ lines: String..., method: String = "POST", version: String = "1.1") -> Result<
    BodyFraming, HTTPParseError
  > {
    let target = method == "CONNECT" ? "a:1" : "http://a/"
    let text = "\(method) \(target) HTTP/\(version)\r\nHost: a\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    return Result { () throws(HTTPParseError) in
      try BodyFraming.ofRequest(try HeadParser.request(Array(text.utf8), lineCount: lines.count + 3))
    }
  }

  private func response(
    _ lines: String..., status: Int = 200, to method: HTTPMethod = .get, version: String = "1.1"
  ) -> Result<BodyFraming, HTTPParseError> {
    let text = "HTTP/\(version) \(status) \r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    return Result { () throws(HTTPParseError) in
      try BodyFraming.ofResponse(try HeadParser.response(Array(text.utf8), lineCount: lines.count + 2), to: method)
    }
  }

  private func refused(_ kind: HTTPParseError.Kind, _ part: HTTPParseError.Part = .request) -> Result<BodyFraming, HTTPParseError>
  {
    .failure(HTTPParseError(kind, in: part))
  }

  @Test func aRequestWithoutFieldsHasNoContent() {
    #expect(request() == .success(.none))
    #expect(request(method: "GET") == .success(.none))
  }

  @Test func aLengthIsTakenAsItIs() {
    #expect(request("Content-Length: 0") == .success(.length(0)))
    #expect(request("content-length:\t 0012 \t") == .success(.length(12)))
    #expect(request("Content-Length: 9223372036854775807") == .success(.length(UInt64(Int64.max))))
  }

  @Test(arguments: [
    "", "-1", "+1", "0x10", "1 2", "1.0", "1,1", "1, 1", "ten", "1e3", "9223372036854775808", "18446744073709551616",
    "00000000000000000001", "١", "1;", "\u{A0}1", "\"1\"",
  ])
  func anythingElseIsNoLength(value: String) {
    #expect(request("Content-Length: \(value)") == refused(.invalidContentLength))
    #expect(response("Content-Length: \(value)") == refused(.invalidContentLength, .response))
  }

  @Test func noByteButBlanksStandsBesideTheLength() {
    for byte in UInt8.min...UInt8.max where byte != 0x0A && byte != 0x0D {
      let bytes = Array("HTTP/1.1 200 OK\r\nContent-Length: 5".utf8) + [byte] + Array("\r\n\r\n".utf8)
      let refused = refusal(ofResponse: bytes)
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      #expect((refused == nil) == (byte == 0x20 || byte == 0x09 || isDigit), "byte \(byte)")
    }
  }

  @Test func severalLengthsAreOneWhenTheyAreEqualDigitByDigit() {
    #expect(request("Content-Length: 5", "X: 6", "content-length:  5 ") == .success(.length(5)))
    #expect(request("Content-Length: 5", "content-length: 6") == refused(.severalContentLengths))
    #expect(request("Content-Length: 5", "content-length: 05") == refused(.severalContentLengths))
    #expect(request("Content-Length: x", "content-length: x") == refused(.invalidContentLength))
    #expect(response("Content-Length: 5", "Content-Length: 5") == .success(.length(5)))
    #expect(response("Content-Length: 5", "Content-Length: 5", "Content-Length: 3") == refused(.severalContentLengths, .response))
  }

  @Test func chunkedAloneIsChunked() {
    #expect(request("Transfer-Encoding: chunked") == .success(.chunked))
    #expect(request("transfer-encoding:CHUNKED") == .success(.chunked))
    #expect(request("Transfer-Encoding: , chunked,") == .success(.chunked))
    #expect(response("Transfer-Encoding: chunked") == .success(.chunked))
  }

  @Test func bothFramingsAreRefused() {
    #expect(request("Content-Length: 5", "Transfer-Encoding: chunked") == refused(.bothFramings))
    #expect(request("Transfer-Encoding: chunked", "Content-Length: 5") == refused(.bothFramings))
    #expect(response("Transfer-Encoding: chunked", "Content-Length: 5") == refused(.bothFramings, .response))
  }

  @Test func transferEncodingIsNotForHTTP10() {
    #expect(request("Transfer-Encoding: chunked", version: "1.0") == refused(.transferEncodingInHTTP10))
    #expect(response("Transfer-Encoding: chunked", version: "1.0") == refused(.transferEncodingInHTTP10, .response))
  }

  @Test(arguments: [
    ("gzip", HTTPParseError.Kind.unchunkedTransferEncoding), ("chunked, gzip", .unchunkedTransferEncoding),
    ("chunked, chunked", .repeatedChunked), ("gzip, chunked", .unknownTransferCoding),
    ("identity", .unchunkedTransferEncoding), ("identity, chunked", .unknownTransferCoding),
    ("xchunked", .unchunkedTransferEncoding), ("chunked, identity", .unchunkedTransferEncoding), ("", .invalidTransferEncoding),
    (",", .invalidTransferEncoding), ("chunked;q=1", .invalidTransferEncoding), ("\"chunked\"", .invalidTransferEncoding),
    ("chunked chunked", .invalidTransferEncoding), ("\u{A0}chunked", .invalidTransferEncoding), (";", .invalidTransferEncoding),
    ("foo;bar=1", .unchunkedTransferEncoding), ("foo;bar=1, chunked", .unknownTransferCoding),
  ])
  func otherTransferEncodingsAreRefused(value: String, kind: HTTPParseError.Kind) {
    #expect(request("Transfer-Encoding: \(value)") == refused(kind))
    #expect(response("Transfer-Encoding: \(value)") == refused(kind, .response))
  }

  @Test func transferEncodingIsOneListOverAllLines() {
    #expect(request("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") == refused(.repeatedChunked))
    #expect(request("Transfer-Encoding: chunked", "Transfer-Encoding: identity") == refused(.unchunkedTransferEncoding))
    #expect(request("Transfer-Encoding:", "Transfer-Encoding: chunked") == .success(.chunked))
  }

  @Test func noByteHidesTransferEncoding() {
    for byte in UInt8.min...UInt8.max where byte != 0x0A && byte != 0x0D && byte != 0x20 && byte != 0x09 && byte != 0x2C {
      let bytes = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: ".utf8) + [byte] + Array("chunked\r\n\r\n".utf8)
      #expect(refusal(ofResponse: bytes) != nil, "byte \(byte)")
    }
  }

  @Test func connectHasNoContent() {
    #expect(request(method: "CONNECT") == .success(.none))
    #expect(request("Content-Length: 0", method: "CONNECT") == .success(.none))
    #expect(request("Content-Length: 1", method: "CONNECT") == refused(.contentInConnect))
    #expect(request("Transfer-Encoding: chunked", method: "CONNECT") == refused(.contentInConnect))
  }

  @Test(arguments: [100, 101, 103, 199, 204, 304])
  func someStatusesHaveNoContentWhateverTheFieldsSay(status: Int) {
    #expect(response("Content-Length: 5", status: status) == .success(.none))
    #expect(response("Transfer-Encoding: chunked", "Content-Length: x", status: status) == .success(.none))
  }

  @Test func aResponseDependsOnWhatWasAsked() {
    #expect(response("Content-Length: 5", to: .head) == .success(.none))
    #expect(response("Content-Length: 5", to: .connect) == .success(.none))
    #expect(response("Content-Length: 5", status: 502, to: .connect) == .success(.length(5)))
    #expect(response("Content-Length: 5", to: .get) == .success(.length(5)))
  }

  @Test func aResponseWithoutFieldsEndsWithTheConnection() {
    #expect(response() == .success(.untilClose))
    #expect(response(version: "1.0") == .success(.untilClose))
    #expect(response(status: 205) == .success(.untilClose))
  }
}
