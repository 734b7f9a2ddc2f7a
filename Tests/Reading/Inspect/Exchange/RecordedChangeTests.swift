import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Recorded changes")
struct RecordedChangeTests {
  @Test("Each in a line of plain English, in the order of the log; what makes no sense is passed over")
  func lines() {
    var entry = HAREntry.ordinary()
    #expect(RecordedChange.all(of: entry).isEmpty)
    entry.custom["_changes"] = [
      ["leg": "request", "change": "rewritten", "name": ":alpn", "from": "h2, http/1.1", "to": "http/1.1"],
      ["leg": "request", "change": "rewritten", "name": ":version", "from": "HTTP/1.0", "to": "HTTP/1.1"],
      ["leg": "request", "change": "removed", "name": "Proxy-Connection", "from": "Keep-Alive"],
      ["leg": "request", "change": "rewritten", "name": "Host", "from": "a:80", "to": "a"],
      ["leg": "response", "change": "removed", "name": ":status", "from": "103"],
      ["leg": "response", "change": "added", "name": "Date", "to": "Sat, 21 Nov 2026 09:41:07 GMT"],
      ["leg": "response", "change": "added", "name": "Via"],
      ["leg": "response", "trailer": true, "change": "removed", "name": "Checksum", "from": "abc"], .null, ["leg": "request"],
    ]
    #expect(
      RecordedChange.all(of: entry).map(\.text) == [
        "ALPN: client offered h2, http/1.1; we spoke http/1.1", "request: HTTP version HTTP/1.0 sent on as HTTP/1.1",
        "request: removed Proxy-Connection: Keep-Alive", "request: rewritten Host: a:80 → a",
        "response: removed interim response 103", "response: added Date: Sat, 21 Nov 2026 09:41:07 GMT", "response: added Via",
        "response: removed trailer Checksum: abc",
      ])
  }
}
