import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Raw messages")
struct RawMessagesTests {
  @Test("Heads with the line ends of HTTP, bodies as they are")
  func both() {
    var entry = HAREntry.ordinary()
    entry.request.postData = HARPostData(mimeType: "text/plain", text: "a\u{1B}")
    #expect(
      String(decoding: RawMessages.bytes(of: entry), as: UTF8.self)
        == "GET http://example.com/a?b=1 HTTP/1.1\r\nHost: example.com\r\naccept: */*\r\n\r\na\u{1B}"
        + "\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nhello")
  }

  @Test("Without a response there is one; a binary body is bytes")
  func request() {
    var entry = HAREntry.refused()
    entry.request.headers = []
    entry.request.postData = HARPostData(mimeType: "x", text: "AP8=")
    entry.request.postData?.custom["_encoding"] = "base64"
    #expect(RawMessages.bytes(of: entry) == Array("GET http://example.com/a?b=1 HTTP/1.1\r\n\r\n".utf8) + [0, 0xFF])
  }
}
