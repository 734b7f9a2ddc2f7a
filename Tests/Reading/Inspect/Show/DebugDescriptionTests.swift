import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Debug description")
struct DebugDescriptionTests {
  private let timeline =
    #"Timeline: { "Request Start Time": 1.000, "Initial Response Time": 2.000, "Request Completed Time": 3.000, "#
    + #""Serialization Completed Time": 3.000, "Latency": 1.000 secs, "Request Duration": 2.000 secs, "#
    + #""Serialization Duration": 0.000 secs, "Total Duration": 2.000 secs }"#

  @Test("The recorded text is printed as it is")
  func recorded() {
    var entry = HAREntry.ordinary()
    entry.custom["_debug"] = "[Request]: GET x\n[Response]: nil"
    #expect(DebugDescription.lines(of: entry) == ["[Request]: GET x", "[Response]: nil"])
  }

  @Test("Without it, the five lines are made from the entry, with the recorded timeline")
  func made() {
    var entry = HAREntry.ordinary()
    entry.custom["_timeline"] = ["description": .string(timeline)]
    #expect(
      DebugDescription.lines(of: entry) == [
        "[Request]: GET http://example.com/a?b=1",
        #"[Response]: { URL: http://example.com/a?b=1, Status Code: 200, Headers: { "Set-Cookie": "a=1", "Set-Cookie": "b=2" } }"#,
        "[Data]: 5 bytes",
        "[Result]: SUCCESS: 5 bytes",
        "[Timeline]: \(timeline)",
      ])
  }

  @Test("A failure, in a log that has neither timelines nor dates")
  func failure() {
    var entry = HAREntry.refused()
    entry.startedDateTime = "soon"
    #expect(
      DebugDescription.lines(of: entry) == [
        "[Request]: GET http://example.com/a?b=1",
        "[Response]: nil",
        "[Data]: 0 bytes",
        "[Result]: FAILURE: upstream refused in connect: Connection refused",
        "[Timeline]: nil",
      ])
  }

  @Test("In a log of another program the timeline is made of the start and the phases")
  func derived() {
    var entry = HAREntry.ordinary()
    entry.startedDateTime = "2001-01-01T00:00:01.500Z"
    #expect(
      DebugDescription.lines(of: entry).last
        == #"[Timeline]: Timeline: { "Request Start Time": 1.500, "Initial Response Time": 1.614, "#
        + #""Request Completed Time": 1.623, "Serialization Completed Time": 1.623, "Latency": 0.114 secs, "#
        + #""Request Duration": 0.123 secs, "Serialization Duration": 0.000 secs, "Total Duration": 0.123 secs }"#)
  }
}
