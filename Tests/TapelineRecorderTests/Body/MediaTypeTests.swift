import TapelineHTTP
import Testing

@testable import TapelineRecorder

struct MediaTypeTests {
  @Test(arguments: [
    "text/plain", "TEXT/HTML; charset=utf-8", "application/json", "application/ld+json; a=b", "application/xml", "image/svg+xml",
    "application/javascript", "application/x-www-form-urlencoded", "application/soap+xml", "message/http", "application/x-ndjson",
    "model/gltf+json", "",
  ])
  func isText(value: String) {
    #expect(MediaType(of: ["Content-Type": value]).isText)
  }

  @Test(arguments: [
    "image/png", "application/octet-stream", "application/pdf", "font/woff2", "video/mp4", "application/jsonx", "x",
  ])
  func isNoText(value: String) {
    #expect(!MediaType(of: ["Content-Type": value]).isText)
  }

  @Test func noTypeMayBeText() {
    #expect(MediaType(of: [:]).isText)
    #expect(MediaType(of: [:]).isEmpty)
  }

  @Test func forms() {
    #expect(MediaType(of: ["Content-Type": "Application/X-WWW-Form-Urlencoded ; charset=x"]).isForm)
    #expect(!MediaType(of: ["Content-Type": "application/x-www-form-urlencoded2"]).isForm)
  }
}
