import Testing

@testable import TapelineLive

@Suite("Control request")
struct ControlRequestTests {
  @Test(
    "Each request is one line, and is read as it was written",
    arguments: [
      .status, .mark(name: "log \"in\"\n\u{1F600}"), .snapshot(path: "/tmp/a b.har"), .rotate, .stop,
      .passthrough(clear: false), .passthrough(clear: true), .rules(turned: [], off: false), .rules(turned: [3, 1], off: true),
    ] as [ControlRequest])
  func roundTrip(request: ControlRequest) throws {
    let line = request.line
    #expect(line.last == UInt8(ascii: "\n"))
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(try ControlRequest(line: line.dropLast()) == request)
  }

  @Test("The form is that of the documentation")
  func form() {
    let line = String(decoding: ControlRequest.mark(name: "a").line, as: UTF8.self)
    #expect(line == #"{"tapeline":1,"command":"mark","name":"a"}"# + "\n")
  }

  @Test(
    "What is no request is refused, and says why",
    arguments: [
      ("", .notJSON("the text ends in the middle of a value at byte 0")), ("[]", .notOurs), ("7", .notOurs), ("{}", .notOurs),
      (#"{"command":"stop"}"#, .notOurs), (#"{"tapeline":2,"command":"stop"}"#, .otherVersion),
      (#"{"tapeline":"1","command":"stop"}"#, .otherVersion), (#"{"tapeline":1}"#, .missing(member: "command")),
      (#"{"tapeline":1,"command":["stop"]}"#, .missing(member: "command")),
      (#"{"tapeline":1,"command":"halt"}"#, .unknownCommand("halt")),
      (#"{"tapeline":1,"command":"mark"}"#, .missing(member: "name")),
      (#"{"tapeline":1,"command":"snapshot","path":null}"#, .missing(member: "path")),
    ] as [(String, ControlMessageError)])
  func refusal(line: String, error: ControlMessageError) {
    #expect(throws: error) { try ControlRequest(line: Array(line.utf8)) }
  }

  @Test("Values nested without end are refused, not followed")
  func depth() {
    let line = #"{"tapeline":1,"command":"# + String(repeating: "[", count: 60_000)
    #expect(throws: ControlMessageError.self) { try ControlRequest(line: Array(line.utf8)) }
  }
}
