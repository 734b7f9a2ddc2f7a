import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Resource type")
struct ResourceTypeTests {
  private func type(
    _ mime: String, said: String? = nil, _ headers: [(String, String)] = [], status: Int = 200, method: String = "GET"
  ) -> ResourceType {
    var entry = HAREntry.ordinary()
    entry.request.method = method
    entry.request.headers = headers.map { HARHeader(name: $0.0, value: $0.1) }
    entry.response.status = status
    entry.response.content.mimeType = mime
    entry.custom["_resourceType"] = said.map { .string($0) }
    return ResourceType(entry)
  }

  @Test("What the log says comes first, then what the browser asked for, then what came")
  func order() {
    #expect(type("image/png", said: "fetch", [("Sec-Fetch-Dest", "script")]) == .fetch)
    #expect(type("image/png", [("sec-fetch-dest", "script")]) == .script)
    #expect(type("text/html", [("Sec-Fetch-Dest", "empty")]) == .fetch, "a page that a script asked for")
    #expect(type("text/html", [("X-Requested-With", "XMLHttpRequest")]) == .fetch)
    #expect(type("image/png", said: "of-tomorrow") == .image)
  }

  @Test(
    "By the media type",
    arguments: [
      ("text/html; charset=utf-8", "document"), ("Text/JavaScript", "script"), ("application/x-javascript", "script"),
      ("text/css", "style"), ("image/svg+xml", "image"), ("font/woff2", "font"), ("application/font-woff", "font"),
      ("video/mp4", "media"), ("application/vnd.apple.mpegurl", "media"), ("application/problem+json", "fetch"),
      ("text/event-stream", "fetch"), ("application/grpc+proto", "fetch"), ("application/atom+xml", "fetch"),
      ("text/plain", "other"),
      ("application/pdf", "other"), ("x-unknown", "other"), ("", "other"),
    ])
  func byMediaType(mime: String, name: String) {
    #expect(type(mime).rawValue == name)
  }

  @Test("Tunnels are none of a page's; a connection that switched protocols is a WebSocket")
  func others() {
    #expect(type("text/html", method: "CONNECT") == .other)
    #expect(type("", status: 101) == .websocket)
    #expect(type("", said: "websocket", status: 0) == .websocket)
    #expect(type("text/html", said: "preflight") == .other)
  }
}
