import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Versions of HTTP")
struct RecordedVersionTests {
  @Test(
    "All spellings of a version are the same version",
    arguments: [
      ("HTTP/2", Double?.some(2), "HTTP/2"), ("HTTP/2.0", 2, "HTTP/2"), ("http/2.0", 2, "HTTP/2"), ("h2", 2, "HTTP/2"),
      ("H2", 2, "HTTP/2"), ("h2c", 2, "HTTP/2"), ("http/1.1", 1.1, "HTTP/1.1"), ("HTTP/1.0", 1, "HTTP/1.0"),
      ("HTTP/1", 1, "HTTP/1.0"), ("h3", 3, "HTTP/3"), ("h3-29", 3, "HTTP/3"), ("HTTP/3", 3, "HTTP/3"),
      ("HTTP/0.9", 0.9, "HTTP/0.9"),
      ("unknown", nil, "unknown"), ("", nil, ""), ("http/nan", nil, "http/nan"), ("http/1e9", nil, "http/1e9"),
      ("http/2+quic/46", nil, "http/2+quic/46"), ("http/", nil, "http/"), ("http/1..", nil, "http/1.."),
      ("spdy/3", nil, "spdy/3"),
    ])
  func spellings(text: String, number: Double?, name: String) {
    #expect(RecordedVersion(text).number == number)
    #expect(RecordedVersion(text).name == name)
  }

  @Test("An exchange has the version of its response, else of its request")
  func exchange() {
    var entry = HAREntry.ordinary()
    entry.request.httpVersion = "h2"
    #expect(RecordedVersion(entry)?.name == "HTTP/1.1")
    entry.response.httpVersion = "unknown"
    #expect(RecordedVersion(entry)?.name == "HTTP/2")
    entry.request.httpVersion = ""
    #expect(RecordedVersion(entry) == nil)
  }
}
