import Testing

@testable import TapelineInspect

@Suite("Figure table")
struct FigureTableTests {
  private static let table: FigureTable = {
    var table = FigureTable(name: "host", figures: ["count", "p50"])
    table.add("a-rather-long-name.example", ["1", "10.0ms"])
    table.add("b", ["12345678", "-"])
    return table
  }()

  @Test("Names take no more than they need, and figures as much as the longest")
  func wide() {
    #expect(
      Self.table.lines(width: 120, palette: Palette(isColored: false)) == [
        "host                           count     p50", "a-rather-long-name.example         1  10.0ms",
        "b                           12345678       -",
      ])
  }

  @Test("Where the width is short, names give way")
  func narrow() {
    #expect(
      Self.table.lines(width: 30, palette: Palette(isColored: false)) == [
        "host              count    p50", "a-rathe…xample        1 10.0ms", "b              12345678      -",
      ])
  }
}
