import Testing

@testable import TapelineInspect

@Suite("Cell count")
struct CellCountTests {
  @Test(
    "Wide characters take two cells, marks none of their own",
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한글", 4), ("ＡＢ", 4), ("🚀", 2), ("…", 1), ("а", 1),
      ("\u{301}", 0), ("\u{200B}a\u{FEFF}", 1), ("か\u{3099}", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("क्षि", 3), ("👩‍💻", 2), ("🇩🇪", 2),
      ("✅⚡", 4),
    ])
  func count(text: String, cells: Int) {
    #expect(text.cellCount == cells)
  }

  @Test("Wide characters are not cut in half")
  func cutting() {
    #expect("日本語".prefix(cells: 3) == "日")
    #expect("日本語".suffix(cells: 5) == "本語")
    #expect("日本語日本語".elided(to: 8) == "日本…語")
    #expect("日本".padded(to: 6) == "日本  ")
    #expect("日本".rightAligned(to: 5) == " 日本")
  }
}
