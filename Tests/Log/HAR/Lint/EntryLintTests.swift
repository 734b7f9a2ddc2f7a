import Testing

@testable import TapelineHAR

/// An exchange with nothing wrong, for tests to spoil.
func cleanEntry() -> HAREntry {
  HAREntry(
    pageref: "p", startedDateTime: "2026-01-02T03:04:05.678901Z", time: 21,
    request: HARRequest(method: "GET", url: "http://h/", httpVersion: "HTTP/1.1", headersSize: 20, bodySize: 0),
    response: HARResponse(
      status: 200, statusText: "OK", httpVersion: "HTTP/1.1",
      content: HARContent(size: 5, compression: 0, mimeType: "text/plain", text: "hello"), headersSize: 40, bodySize: 5),
    timings: HARTimings(blocked: 1, dns: 2, connect: 3, send: 4, wait: 5, receive: 6, ssl: -1), serverIPAddress: "192.0.2.1",
    connection: "80")
}

/// The rules that `entry` breaks, with the last steps of the paths, and the entry as it is after the repair.
func lint(_ entry: HAREntry, _ profiles: Set<HARProfile> = []) -> (found: [String], repaired: HAREntry) {
  let path = HARPath(steps: [])
  var lint = EntryLint(entry, at: path, profiles, substituteDate: "2026-01-01T00:00:00Z", findings: [])
  lint.run()
  return (lint.findings.map { "\($0.rule.rawValue) \($0.path)" }, lint.entry)
}

@Suite("One entry looked through")
struct EntryLintTests {
  @Test("Nothing is found in what is right")
  func clean() {
    let (found, repaired) = lint(cleanEntry(), Set(HARProfile.allCases))
    #expect(found == [])
    #expect(repaired == cleanEntry())
  }

  @Test("A place is reported once")
  func once() {
    var entry = cleanEntry()
    entry.request.url = "a b#c"
    #expect(lint(entry).found == ["url-fragment $.request.url"])
  }
}
