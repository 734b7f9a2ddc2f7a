import Testing

@testable import TapelineHAR

@Suite("Values that are passed over")
struct JSONParserSkippingTests {
  private func skipped(_ text: String) throws -> Int {
    try Array(text.utf8).span.withParser(range: 0..<text.utf8.count) { (parser) throws(HARReadError) in
      try parser.skipValue()
      return parser.position
    }
  }

  @Test(
    "Exactly one value",
    arguments: [
      (#" "a\"]" ,"#, 7), ("{}x", 2), (#"{"a":["}",{"b":"\\"}]},1"#, 22), ("-1.5e3]", 6), ("true,", 4), ("false", 5),
      ("null}", 4),
      (#""\\","#, 4),
    ])
  func one(text: String, end: Int) throws {
    #expect(try skipped(text) == end)
  }

  @Test(
    "What has no end, or is no value, is an error",
    arguments: ["", " ", "\"", "\"\\", "\"\\\"", "{", "[\"]", "tru", "-", "x", ",", "}"])
  func errors(text: String) {
    #expect(throws: HARReadError.self) { try skipped(text) }
  }
}
