import Testing

@testable import TapelineHTTP

/// What values are refused is under test in `BodyFramingTests`.
@Suite struct ContentLengthTests {
  @Test func validityIsThatOfParsing() throws {
    #expect(ContentLength.isValid(in: ["Content-Length": "12"]))
    #expect(try ContentLength.parse(["content-length": "12"], in: .request) == 12)
    #expect(ContentLength.isValid(in: ["Content-Length": "12", "Content-Length": "12"]))
    #expect(!ContentLength.isValid(in: ["Content-Length": "12", "Content-Length": "012"]))
    #expect(!ContentLength.isValid(in: ["Content-Length": "x"]))
    #expect(!ContentLength.isValid(in: [:]))
  }
}
