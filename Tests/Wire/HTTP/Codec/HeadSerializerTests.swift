import Testing

@testable import TapelineHTTP

@Suite struct HeadSerializerTests {
  private func text(_ append: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    append(&output)
    return String(decoding: output, as: UTF8.self)
  }

  @Test func statusLinesHaveTheSpaceEvenWithoutAReason() {
    #expect(text { HeadSerializer.appendStatusLine(status: 200, into: &$0) } == "HTTP/1.1 200 OK\r\n")
    #expect(text { HeadSerializer.appendStatusLine(status: 299, into: &$0) } == "HTTP/1.1 299 \r\n")
    #expect(text { HeadSerializer.appendStatusLine(status: 502, reason: "No", into: &$0) } == "HTTP/1.1 502 No\r\n")
  }

  @Test func fieldsAreNameColonSpaceValue() throws {
    #expect(text { HeadSerializer.appendField(name: "A", value: "b c", into: &$0) } == "A: b c\r\n")
    let fields = try responseHead("HTTP/1.1 200 OK\r\naB :\tc \r\n\r\n").fields
    #expect(text { HeadSerializer.appendField(fields, at: 0, into: &$0) } == "aB: c\r\n")
  }

  @Test func numbersAreDecimal() {
    for number in [0, 9, 10, 99, 100, 1024, UInt64.max] {
      #expect(text { HeadSerializer.appendDecimal(number, into: &$0) } == String(number))
    }
  }

  @Test func aReasonOfOurOwnHoldsNoLineEnd() async {
    await #expect(processExitsWith: .failure) {
      var output: [UInt8] = []
      HeadSerializer.appendStatusLine(status: 200, reason: "a\r\nB: c", into: &output)
    }
  }
}
