import Testing

@testable import TapelineHTTP

@Suite struct HTTPParseErrorTests {
  @Test func requestsAreRefusedWithTheStatusOfTheRule() {
    #expect(HTTPParseError(.requestLineTooLong, in: .request).status == 414)
    #expect(HTTPParseError(.headerBlockTooLarge, in: .request).status == 431)
    #expect(HTTPParseError(.tooManyFields, in: .request).status == 431)
    #expect(HTTPParseError(.trailersTooLarge, in: .request).status == 431)
    #expect(HTTPParseError(.unknownTransferCoding, in: .request).status == 501)
    #expect(HTTPParseError(.unsupportedVersion, in: .request).status == 505)
    #expect(HTTPParseError(.bothFramings, in: .request).status == 400)
  }

  @Test(arguments: HTTPParseError.Kind.allCases)
  func everyRuleHasASentenceWithItsSection(kind: HTTPParseError.Kind) {
    let request = HTTPParseError(kind, in: .request)
    #expect(request.message.contains("(RFC 9"))
    #expect(request.message.hasPrefix("The request was refused: "))
    #expect([400, 414, 431, 501, 505].contains(request.status))
    let response = HTTPParseError(kind, in: .response)
    #expect(response.message.hasPrefix("The origin's response was refused: "))
    #expect(response.status == 502)
  }
}
