import TapelineHAR

/// Entries for tests: an ordinary exchange, to be changed where a test needs it.
extension HAREntry {
  static func ordinary() -> HAREntry {
    HAREntry(
      pageref: "page_1", startedDateTime: "2026-01-02T03:04:05.678901Z", time: 123.456,
      request: HARRequest(
        method: "GET", url: "http://example.com/a?b=1", httpVersion: "HTTP/1.1",
        headers: [HARHeader(name: "Host", value: "example.com"), HARHeader(name: "accept", value: "*/*")], headersSize: 60,
        bodySize: 0),
      response: HARResponse(
        status: 200, statusText: "OK", httpVersion: "HTTP/1.1",
        headers: [HARHeader(name: "Set-Cookie", value: "a=1"), HARHeader(name: "Set-Cookie", value: "b=2")],
        content: HARContent(size: 5, mimeType: "text/plain", text: "hello"), headersSize: 120, bodySize: 5),
      timings: HARTimings(blocked: 1, dns: 2, connect: 30.456, send: 0.5, wait: 80, receive: 9.5, ssl: -1),
      serverIPAddress: "192.0.2.1", connection: "80")
  }

  static func refused() -> HAREntry {
    var entry = ordinary()
    entry.response = HARResponse(status: 0, statusText: "", httpVersion: "", content: HARContent(size: 0, mimeType: "x-unknown"))
    entry.custom["_error"] = [
      "origin": "upstream", "phase": "connect", "kind": "refused", "message": "Connection refused",
    ]
    entry.custom["_localStatus"] = 502
    entry.timings = HARTimings(blocked: 1, dns: -1, connect: 3, send: 0, wait: 0, receive: 0, ssl: -1)
    entry.time = 4
    return entry
  }

  /// The first in a tunnel: 100 of its 123.456 ms were the client's own.
  static func afterSlowClient() -> HAREntry {
    var entry = ordinary()
    entry.request.url = "https://example.com/a?b=1"
    entry.timings = HARTimings(blocked: 101.5, dns: -1, connect: 12, send: 0.456, wait: 8, receive: 1.5, ssl: 10)
    entry.custom["_blocked"] = ["client": 100, "proxy": 1, "connection": .number(HARNumber(0.5))]
    return entry
  }

  /// The client did not wait for a response.
  static func ended(in phase: String = "wait") -> HAREntry {
    var entry = refused()
    entry.custom = ["_ended": ["by": "client", "phase": .string(phase)]]
    return entry
  }

  /// No response has come yet.
  static func inFlight() -> HAREntry {
    var entry = refused()
    entry.custom = ["_inFlight": true]
    return entry
  }

  static func tunnel() -> HAREntry {
    var entry = ordinary()
    entry.request.method = "CONNECT"
    entry.request.url = "https://example.com:443/"
    return entry
  }
}
