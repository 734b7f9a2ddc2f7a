import Testing

@testable import TapelineInspect

@Suite("Bodies of a report")
struct ReportBodyTests {
  @Test("Which bodies are wanted")
  func choice() {
    #expect(
      ReportBody("abcd", isBase64: true, bodies: .text, limit: nil)
        == ReportBody("abcd", isBase64: true, bodies: .none, limit: nil))
    #expect(ReportBody("abcd", isBase64: true, bodies: .text, limit: nil).text == nil)
    #expect(ReportBody("abcd", isBase64: true, bodies: .text, limit: nil).leftOut == 4)
    #expect(ReportBody("abcd", isBase64: false, bodies: .text, limit: nil).text == "abcd")
    #expect(!ReportBody("abcd", isBase64: true, bodies: .all, limit: 4).isCut)
  }

  @Test(
    "A text is cut between characters",
    arguments: [(0, nil, 7), (1, "a", 6), (2, "a", 6), (3, "aé", 4), (5, "aé", 4), (6, "aé€", 1)] as [(Int, String?, Int)])
  func characters(limit: Int, text: String?, leftOut: Int) {
    let body = ReportBody("aé€b", isBase64: false, bodies: .all, limit: limit)
    #expect(body.text == text && body.leftOut == leftOut && body.isCut)
  }

  @Test("Of bytes, whole groups of base64 are kept, and no more than one looks at")
  func bytes() {
    let text = String(repeating: "QUJD", count: 1_000)
    #expect(ReportBody(text, isBase64: true, bodies: .all, limit: 10).text == "QUJDQUJD")
    #expect(ReportBody(text, isBase64: true, bodies: .all, limit: 3_999).text?.utf8.count == 2_048)
    #expect(ReportBody(text, isBase64: true, bodies: .all, limit: 4_000).text == text)
  }
}
