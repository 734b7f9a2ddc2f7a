import Testing

@testable import TapelineHTTP

@Suite struct ResponseHeadTests {
  @Test func aHeadKeepsWhatCame() throws {
    let text = "HTTP/1.0 299 So so\r\nX: 1\r\nx:2\r\n\r\n"
    let head = try responseHead(text)
    #expect(head.status == 299)
    #expect(head.reason == "So so")
    #expect(head.version == .http10)
    #expect(head.size == text.utf8.count)
    #expect(head.fields == ["X": "1", "x": "2"])
    #expect(head.anomalies.isEmpty)
    #expect(head.anomalies.descriptions(of: .response).isEmpty)
  }

  @Test func aHeadOfOurOwnReadsAsOneThatCame() throws {
    let head = ResponseHead(status: 404, fields: ["Content-Length": "0"])
    #expect(head.reason == "Not Found")
    let again = try responseHead(head.bytes)
    #expect(again.status == 404)
    #expect(again.reason == "Not Found")
    #expect(again.fields == head.fields)
    #expect(again.size == head.size)
    #expect(ResponseHead(status: 299, reason: "").reason == "")
  }

  @Test func everyAnomalyHasASentence() {
    for part in [HTTPParseError.Part.request, .response] {
      #expect(HeadAnomalies(rawValue: .max).descriptions(of: part).count == 9)
    }
    #expect(
      HeadAnomalies.lineFolding.descriptions(of: .response) == ["A field value was folded over several lines (RFC 9112 5.2)."])
  }
}
