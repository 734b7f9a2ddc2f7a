import Testing

@testable import TapelineRedaction

struct MultipartFormTests {
  private static let form = [
    "--b1", "Content-Disposition: form-data; name=\"user\"", "", "bob", "--b1",
    "content-disposition: form-data; name=\"pass\\\"word\"; filename=\"a b.txt\"", "Content-Type: text/plain", "", "one\r\ntwo",
    "--b1",
    "Content-Disposition: form-data; name=token", "", "s3cr3t", "--b1--", "",
  ].joined(separator: "\r\n")

  private func parts(_ text: String, _ boundary: String = "b1") -> [String] {
    let bytes = Array(text.utf8)
    return MultipartForm(bytes.span, boundary: Array(boundary.utf8)).parts.map { part in
      let names = [part.name, part.fileName, part.contentType].map { $0.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
      return (names + [String(decoding: bytes[part.content], as: UTF8.self)]).joined(separator: "|")
    }
  }

  @Test func partsAreFound() {
    #expect(parts(Self.form) == ["user|-|-|bob", "pass\"word|a b.txt|text/plain|one\r\ntwo", "token|-|-|s3cr3t"])
  }

  @Test(arguments: ["", "--b1", "--b1--", "no boundary", "--b2\r\n\r\nx"])
  func noForm(text: String) {
    #expect(parts(text).isEmpty)
  }

  @Test func everyBeginningIsHarmless() {
    let bytes = Array(Self.form.utf8)
    for count in 0...bytes.count {
      let parts = MultipartForm(bytes.span.extracting(0..<count), boundary: Array("b1".utf8)).parts
      #expect(parts.allSatisfy { $0.content.upperBound <= count })
    }
  }
}
