import TapelineOffline
import TapelineHAR
import Testing

@testable import TapelineLive

@Suite("Control reply")
struct ControlReplyTests {
  @Test("A result keeps its members, a failure its words and its status")
  func roundTrip() throws {
    let failure = CommandFailure(status: .cannotCreate, what: "a.har", why: "no\nroom", remedy: "make some")
    for reply in [.done, .result(["page": "page_2", "ok2": 7]), .failure(failure)] as [ControlReply] {
      #expect(reply.line.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(try ControlReply(line: reply.line) == reply)
    }
  }

  @Test(
    "What is no reply is refused",
    arguments: [
      "", "{}", #"{"tapeline":1}"#, #"{"tapeline":1,"ok":1}"#, #"{"tapeline":1,"ok":false}"#,
      #"{"tapeline":1,"ok":false,"error":{"what":"a","why":"b","remedy":"c","status":3}}"#,
      #"{"tapeline":1,"ok":false,"error":{"what":"a","why":"b","status":64}}"#,
    ])
  func refusal(line: String) {
    #expect(throws: ControlMessageError.self) { try ControlReply(line: Array(line.utf8)) }
  }
}
