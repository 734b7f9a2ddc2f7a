import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Message heads")
struct MessageHeadsTests {
  @Test("Both heads, line by line, duplicates and spelling kept")
  func both() {
    #expect(
      MessageHeads.lines(of: .ordinary()) == [
        "GET http://example.com/a?b=1 HTTP/1.1", "Host: example.com", "accept: */*", "", "HTTP/1.1 200 OK", "Set-Cookie: a=1",
        "Set-Cookie: b=2", "",
      ])
  }

  @Test("Without a response there is one head; control characters are replaced")
  func one() {
    var entry = HAREntry.refused()
    entry.request.headers = [HARHeader(name: "X", value: "a\u{1B}b")]
    #expect(MessageHeads.lines(of: entry) == ["GET http://example.com/a?b=1 HTTP/1.1", "X: a\u{FFFD}b", ""])
  }
}
