import Testing

@testable import TapelineHAR

struct HARShapeTests {
  @Test func whatTheModelWritesHasTheShape() throws {
    let entry = HAREntry(
      startedDateTime: "2026-01-02T03:04:05Z", time: 0,
      request: HARRequest(
        method: "GET", url: "http://h/", httpVersion: "HTTP/1.1", postData: HARPostData(mimeType: "x", text: "")),
      response: HARResponse(status: 200, statusText: "OK", httpVersion: "HTTP/1.1", content: HARContent(size: 0, mimeType: "x")),
      timings: HARTimings(send: 0, wait: 0, receive: 0))
    var value = try HARValue(json: entry.json.span)
    let original = value
    HARType.object(.entry).conform(&value, at: .log) { Issue.record("\($0)") }
    #expect(value == original)
  }

  @Test func commentsAreAllowedEverywhere() {
    for shape in [HARShape.log, .creator, .page, .entry] {
      #expect(shape.member("comment")?.substitute == nil && shape.member("comment") != nil)
    }
    #expect(HARShape.entry.member("nonsense") == nil)
  }
}
