import Testing

@testable import TapelineHAR

struct ValueScannerTests {
  @Test(arguments: [
    ("{}", 2), ("{} ", 2), (#"{"a":"}"},"#, 9), (#"["\"]",[]]x"#, 10), (#""a\\"b"#, 5), ("12,", 2), ("true}", 4), ("-1.5e3 ", 6),
    (#""]""#, 3),
  ])
  func findsTheEnd(text: String, length: Int) {
    let bytes = Array(text.utf8)
    var whole = ValueScanner()
    #expect(whole.length(in: bytes.span, isLast: false) == length)
    var dripped = ValueScanner()
    for count in 0..<bytes.count {
      let found = dripped.length(in: bytes.span.extracting(first: count), isLast: false)
      if let found {
        #expect(found == length && count >= length)
        return
      }
    }
    #expect(dripped.length(in: bytes.span, isLast: false) == length)
  }

  @Test func onlyTheEndOfTheTextEndsANumber() {
    var scanner = ValueScanner()
    #expect(scanner.length(in: Array("12".utf8).span, isLast: false) == nil)
    #expect(scanner.length(in: Array("12".utf8).span, isLast: true) == 2)
  }

  @Test func unfinishedStaysUnfinished() {
    var scanner = ValueScanner()
    #expect(scanner.length(in: Array("{\"a\":[".utf8).span, isLast: true) == nil)
  }
}
