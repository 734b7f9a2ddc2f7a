import Testing

@testable import TapelineInspect

@Suite("Comma-separated values")
struct CSVLineTests {
  @Test("Cells with commas, quotes and line breaks are quoted")
  func quoting() {
    #expect(CSVLine.text(of: ["a", "b,c", "d\"e", "f\ng", ""], []) == "a,\"b,c\",\"d\"\"e\",\"f\ng\",\r\n")
  }

  @Test(
    "What a spreadsheet would evaluate begins with an apostrophe; numbers are numbers",
    arguments: [
      ("=1+1", "'=1+1"), ("+cmd|x", "'+cmd|x"), ("-2+3", "'-2+3"), ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"), (" =1", "' =1"),
      ("-", "'-"), ("-1", "-1"), ("+1.5e3", "+1.5e3"), ("-inf", "'-inf"), ("a=1", "a=1"), ("", ""), ("http://h/", "http://h/"),
    ])
  func formulas(cell: String, shown: String) {
    #expect(CSVLine.text(of: [cell], .spreadsheet) == "\(shown)\r\n")
    #expect(CSVLine.text(of: [cell], []) == "\(cell)\r\n")
  }

  @Test("On a terminal nothing in a cell drives it")
  func terminal() {
    #expect(CSVLine.text(of: ["a\u{1B}[31m\u{202E}\nb"], .terminal) == "a\u{FFFD}[31m\u{FFFD}\u{FFFD}b\r\n")
  }
}

@Suite("JSON for terminals")
struct TerminalJSONTests {
  @Test("DEL, C1 and what turns text is escaped, and nothing else")
  func escapes() {
    let text = "{\"a\":\"\u{7F}\u{80}\u{9B}31m\u{A0}é\u{61B}\u{61C}\u{200E}\u{2028}\u{202E}\u{2030}\u{2066}\u{206A}😀\"}"
    let expected =
      "{\"a\":\"\\u007f\\u0080\\u009b31m\u{A0}é\u{61B}\\u061c\\u200e\\u2028\\u202e\u{2030}\\u2066\u{206A}😀\"}"
    #expect(String(decoding: TerminalJSON.escaped(Array(text.utf8)), as: UTF8.self) == expected)
    #expect(TerminalJSON.escaped(Array("{}".utf8)) == Array("{}".utf8))
  }
}
