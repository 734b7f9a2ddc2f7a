import Testing

@testable import TapelineInspect

@Suite("Columns of an index")
struct IndexColumnTests {
  private static func copy(_ values: [Double]) throws -> [Double] {
    try #require(NumberColumn(NumberColumn(values).encoded, rows: values.count)).values
  }

  @Test(
    "Numbers come back bit by bit, in four bytes if that loses nothing",
    arguments: [
      ([0, 1, 4_294_967_294], 4), ([0.001, 12.345, 4_294_967.294, 0], 4), ([1, .nan, 3], 4), ([4_294_967_295], 8),
      ([-1], 8), ([-0.0], 8), ([0.1 + 0.2], 8), ([1.0005], 8), ([.infinity], 8), ([4_294_967.295], 8), ([.nan, .nan], 0), ([], 0),
    ] as [([Double], Int)])
  func numbers(values: [Double], size: Int) throws {
    #expect(try Self.copy(values).map(\.bitPattern) == values.map(\.bitPattern))
    #expect(NumberColumn(values).encoded.count == 1 + size * values.count)
  }

  @Test("A flag is a number; a text is none")
  func otherValues() {
    var column = NumberColumn()
    for value in [.flag(true), .flag(false), .absent, .text("1"), .number(7)] as [QueryValue] { column.append(value) }
    #expect((0..<5).map { column[$0] } == [1, 0, nil, nil, 7])
  }

  @Test("Texts come back with what stands beside them, each kept once")
  func texts() throws {
    let values: [QueryValue] = [
      .text("a"), .absent, .text(""), .titled("a title", id: "page 1"), .titled("", id: ""), .numbered("h2", 2), .text("a"),
      .text("t and p"), .titled("12 x", id: "é 3"), .numbered("", 1.1), .absent,
    ]
    var builder = TextColumn.Builder()
    for value in values { _ = builder.append(value) }
    let column = try #require(TextColumn(builder.encoded, rows: values.count))
    #expect(values.indices.map { column[$0] } == values)
    #expect(column.count == 9)
    let empty = try #require(TextColumn(TextColumn.Builder().encoded, rows: 0))
    #expect(empty.count == 0)
  }

  @Test("Any other bytes are no column, or a column with as many rows, and never a crash")
  func damage() {
    var builder = TextColumn.Builder()
    for text in ["a", "bc", "a", "def"] { _ = builder.append(.text(text)) }
    for (bytes, isText) in [(builder.encoded, true), (NumberColumn([1, 2.5, .nan, 4]).encoded, false)] {
      for place in bytes.indices {
        for change in [0x01, 0x80, 0xFF] as [UInt8] {
          var changed = bytes
          changed[place] ^= change
          if isText {
            if let column = TextColumn(changed, rows: 4) { #expect((0..<4).map { column[$0] }.count == 4) }
          } else {
            if let column = NumberColumn(changed, rows: 4) { #expect(column.values.count == 4) }
          }
        }
        #expect(TextColumn(Array(bytes[..<place]), rows: 4) == nil || !isText)
        #expect(NumberColumn(Array(bytes[..<place]), rows: 4) == nil || isText)
      }
    }
    #expect(TextColumn(builder.encoded, rows: 5) == nil || TextColumn(builder.encoded, rows: 3) == nil)
  }
}
