import Testing

@testable import TapelineHAR

struct JSONParserTests {
  private func parse(_ text: String) throws -> HARValue {
    try HARValue(json: Array(text.utf8).span)
  }

  @Test func values() throws {
    #expect(try parse(" [ ] ") == [])
    #expect(try parse("{}") == [:])
    #expect(try parse(#"{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}"#)["a"]?.array?.count == 6)
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u65E5""#, "Aé日"), (#""\ud83d\uDE00""#, "😀"),
    (#""\ud83dx""#, "\u{FFFD}x"), (#""\ud83d\u0041""#, "\u{FFFD}A"), (#""\ude00""#, "\u{FFFD}"), ("\"\u{7F}é\"", "\u{7F}é"),
  ])
  func strings(json: String, expected: String) throws {
    #expect(try parse(json) == .string(expected))
  }

  @Test(arguments: [
    "", " ", "{", "[", "[1", "[1,", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "\"", "\"\\", "\"\\u12", "tru", "-", "1.", "1e",
  ])
  func endsTooEarly(json: String) {
    #expect { try parse(json) } throws: {
      ($0 as? HARReadError)?.kind == .unexpectedEnd || ($0 as? HARReadError)?.kind == .invalidNumber
    }
  }

  @Test(arguments: [
    ("[1 2]", 3), ("{a:1}", 1), ("{\"a\" 1}", 5), ("[1,]", 3), ("{\"a\":1,}", 7), ("nul1", 3), ("\"\u{1}\"", 0), ("\"\\x\"", 2),
    ("01", 0), ("-01", 1), ("-a", 1), ("1 x", 2), ("[\"\\u12g4\"]", 6), ("+1", 0), (".5", 0), ("'a'", 0),
  ])
  func errorsSayWhere(json: String, offset: Int) {
    #expect { try parse(json) } throws: { ($0 as? HARReadError)?.offset == offset }
  }

  @Test func depthIsBounded() throws {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect { try parse(deep) } throws: { ($0 as? HARReadError)?.kind == .tooDeep }
    let allowed = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
    _ = try parse(allowed)
  }
}
