internal import TapelineHAR

/// An exchange to test conditions on.
enum SampleEntry {
  static func make(url: String) -> HAREntry {
    HAREntry(
      startedDateTime: "2026-11-21T12:00:00.000Z", time: 12.5,
      request: HARRequest(
        method: "GET", url: url, httpVersion: "HTTP/1.1", headers: [HARHeader(name: "Accept", value: "*/*")], headersSize: 100,
        bodySize: 0),
      response: HARResponse(
        status: 200, statusText: "OK", httpVersion: "HTTP/1.1", headers: [HARHeader(name: "Content-Length", value: "3")],
        content: HARContent(size: 3, mimeType: "text/plain", text: "abc"), headersSize: 50, bodySize: 3),
      timings: HARTimings(blocked: 0.5, send: 1, wait: 10, receive: 1))
  }
}
