import TapelineHAR
import Testing

@testable import TapelineInspect

/// Tunnels, and WebSockets that an extended CONNECT opens (RFC 8441 4).
@Suite("Recorded CONNECT")
struct RecordedConnectTests {
  private func entry(_ protocol: String?, status: Int = 200, parts: HAREntryParts = .all) throws -> HAREntry {
    let named = `protocol`.map { #",{"name":":protocol","value":"\#($0)"}"# } ?? ""
    let json = #"""
      {"startedDateTime":"2026-01-01T00:00:00Z","time":1,"request":{"method":"CONNECT","url":"https://a.example/chat?room=1",
      "httpVersion":"HTTP/2","cookies":[],"headers":[],"queryString":[],"_pseudo":[{"name":":method","value":"CONNECT"}\#(named)],
      "headersSize":-1,"bodySize":0},"response":{"status":\#(status),"statusText":"","httpVersion":"HTTP/2","cookies":[],
      "headers":[],"content":{"size":0,"mimeType":"x-unknown"},"redirectURL":"","headersSize":-1,"bodySize":0},"cache":{},
      "timings":{"send":0,"wait":1,"receive":0}}
      """#
    return try HAREntry(json: Array(json.utf8).span, parts: parts)
  }

  @Test("A WebSocket over HTTP/2 is not a tunnel, in a table of exchanges too", arguments: [HAREntryParts.all, .overview])
  func webSocket(parts: HAREntryParts) throws {
    let entry = try entry("WebSocket", parts: parts)
    #expect(!entry.request.asksForTunnel && !entry.isOpenTunnel && entry.hasSwitchedProtocols)
    #expect(ResourceType(entry) == .websocket)
    #expect(RequestPlace(entry).text(under: "https://a.example", width: 40) == "/chat?room=1")
    #expect(throws: CurlRefusal.webSocketOverHTTP2) { try CurlCommand(entry) }
    #expect(RecordedRequest(entry) == nil)
  }

  @Test("A WebSocket that was declined is an exchange like any other")
  func declined() throws {
    let entry = try entry("websocket", status: 403)
    #expect(!entry.hasSwitchedProtocols && !entry.request.asksForTunnel && ResourceType(entry) == .websocket)
  }

  @Test("CONNECT without a protocol, or with another one, is a tunnel", arguments: [nil, "connect-udp"])
  func tunnel(name: String?) throws {
    for parts in [HAREntryParts.all, .overview] {
      let entry = try entry(name, parts: parts)
      #expect(entry.request.asksForTunnel && entry.isOpenTunnel && !entry.hasSwitchedProtocols)
      #expect(ResourceType(entry) == .other)
    }
    #expect(throws: CurlRefusal.tunnel) { try CurlCommand(try entry(name)) }
  }
}
