import Testing

@testable import TapelineHAR

@Suite("Where the reading stands")
struct HARCursorTests {
  @Test("A value is the next one until it is taken")
  func values() throws {
    var cursor = HARCursor(valueSizeLimit: 100)
    cursor.feed(Array(#"{"log":{"entries":[{"a":"#.utf8).span)
    for _ in 0..<2 {
      let value = try cursor.advance()
      #expect(value == .entry && cursor.position == 19)
    }
    #expect(cursor.hasEntries && !cursor.hasPages && !cursor.isWaiting)
    #expect(try cursor.frame() == nil)
    #expect(cursor.isWaiting)
    cursor.feed(Array(#"1}],"x":2}}"#.utf8).span)
    #expect(cursor.origin == 19 && cursor.position == 0)
    let range = try #require(try cursor.frame())
    #expect(range == 0..<7)
    cursor.take(upTo: range.upperBound)
    let member = try cursor.advance()
    #expect(member == .member && cursor.name == "x")
  }

  @Test("A value may not be endless")
  func endless() throws {
    var cursor = HARCursor(valueSizeLimit: 10)
    cursor.feed(Array(#"{"log":{"entries":[{"a":"01234567890"#.utf8).span)
    let value = try cursor.advance()
    #expect(value == .entry)
    #expect { _ = try cursor.frame() } throws: { ($0 as? HARReadError)?.kind == .tooLarge(limit: 10) }
  }
}
