import Testing

@testable import TapelineHTTP

@Suite struct HTTPStatusTests {
  @Test func phrasesAreTheRegisteredOnes() {
    #expect(HTTPStatus.reasonPhrase(for: 200) == "OK")
    #expect(HTTPStatus.reasonPhrase(for: 413) == "Content Too Large")
    #expect(HTTPStatus.reasonPhrase(for: 508) == "Loop Detected")
    #expect(HTTPStatus.reasonPhrase(for: 299) == "")
  }

  @Test func everyStatusTheProxyAnswersWithHasAPhrase() {
    for status in [400, 403, 404, 405, 408, 411, 413, 414, 417, 431, 501, 502, 503, 504, 505, 508] {
      #expect(!HTTPStatus.reasonPhrase(for: status).isEmpty)
    }
  }

  @Test func contentIsForbiddenByStatus() {
    let without = (100...999).filter { HTTPStatus.forbidsContent($0) }
    #expect(without == Array(100...199) + [204, 304])
  }

  @Test func framingFieldsAreForbiddenByStatusAndMethod() {
    #expect(HTTPStatus.forbidsFramingFields(204, to: .get))
    #expect(HTTPStatus.forbidsFramingFields(101, to: .get))
    #expect(HTTPStatus.forbidsFramingFields(200, to: .connect))
    #expect(!HTTPStatus.forbidsFramingFields(502, to: .connect))
    #expect(!HTTPStatus.forbidsFramingFields(304, to: .get))
    #expect(!HTTPStatus.forbidsFramingFields(200, to: .head))
  }
}
