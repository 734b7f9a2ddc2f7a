import Testing

@testable import TapelineInspect

@Suite("Query value")
struct QueryValueTests {
  @Test("Sorting: numbers, texts, the rest, and what is not said at the very end")
  func order() {
    let values: [QueryValue] = [
      .absent, .text("b"), .number(2), .flag(true), .text("a"), .number(-1), .flag(false), .several([]),
    ]
    #expect(
      values.sorted(by: QueryValue.precedes)
        == [.number(-1), .number(2), .text("a"), .text("b"), .flag(false), .flag(true), .several([]), .absent])
  }

  @Test("As text for programs")
  func text() {
    #expect(QueryValue.number(12).plainText == "12")
    #expect(QueryValue.number(0.25).plainText == "0.25")
    #expect(QueryValue.several([.text("a"), .number(1)]).plainText == "a, 1")
    #expect(QueryValue.absent.plainText == "")
    #expect(QueryValue.flag(false).plainText == "false")
  }

  @Test("The number that is in it")
  func number() {
    #expect(QueryValue.text("12.5").number == 12.5)
    #expect(QueryValue.several([.text("x"), .number(3)]).number == 3)
    #expect(QueryValue.flag(true).number == nil)
  }
}
