import TapelineHAR
import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Body text")
struct BodyTextTests {
  private func lines(_ type: String, _ text: String?, encoding: String? = nil, size: Int = 0, limit: Int = 5) -> [String] {
    var response = HAREntry.ordinary().response
    response.content = HARContent(size: size, mimeType: type, text: text, encoding: encoding)
    response.bodySize = size
    return BodyText(response: response, palette: Palette(isColored: false), limit: limit).lines
  }

  @Test("JSON is laid out, also where the type does not say it")
  func json() {
    let laidOut = ["{", #"  "a": 1,"#, #"  "b": [true, null]"#, "}"]
    #expect(lines("application/json; charset=utf-8", #"{"a":1,"b":[true,null]}"#) == laidOut)
    #expect(lines("text/plain", #" {"a":1,"b":[true,null]}"#) == laidOut)
    #expect(lines("application/problem+json", "7") == ["7"])
  }

  @Test("JSON that was cut off is text")
  func cut() {
    #expect(lines("application/json", #"{"a":1,"#) == [#"{"a":1,"#])
  }

  @Test("Text is cut by lines, and says so")
  func long() {
    #expect(lines("text/plain", "1\n2\n3\n4\n5\n") == ["1", "2", "3", "4", "5"])
    #expect(lines("text/plain", "1\n2\n3\n4\n5\n6\n7\n") == ["1", "2", "3", "4", "5", "(… 2 more lines; --body prints all)"])
    let json = "[" + (1...9).map { "{\"n\":\($0)}" }.joined(separator: ",") + "]"
    #expect(lines("application/json", json).last == "(… and more; --body prints all)")
    #expect(lines("text/plain", String(repeating: "x", count: 5_000)).first?.count == 1_001)
  }

  @Test("What is no text is a dump of its first bytes")
  func binary() {
    #expect(
      lines("image/png", "iVBORw0KGgo=", encoding: "base64")
        == ["0000  89 50 4e 47 0d 0a 1a 0a                          .PNG...."])
    let many = lines("application/octet-stream", Base64.encode([UInt8](repeating: 0, count: 200)), encoding: "base64")
    #expect(many.count == 9)
    #expect(many.last == "(… 72 more bytes; --body prints all)")
  }

  @Test("No body, one that was not recorded, one that is damaged")
  func missing() {
    #expect(lines("text/plain", nil) == [])
    #expect(lines("text/plain", nil, size: 2_048) == ["(2.0 KiB that were not recorded)"])
    #expect(lines("text/plain", "%%%", encoding: "base64", size: 3) == ["(the log says base64, but it is not)"])
  }
}
