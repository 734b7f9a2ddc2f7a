import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("JSON layout")
struct JSONLayoutTests {
  private func text(_ json: String, palette: Palette = Palette(isColored: false), limit: Int = .max) throws -> String {
    let bytes = Array(json.utf8)
    return JSONLayout.lines(of: try HARValue(json: bytes.span), palette: palette, limit: limit).joined(separator: "\n")
  }

  @Test("A member per line; short arrays of scalars in one")
  func layout() throws {
    #expect(
      try text(#"{"a":{"b":[1,2.50,"x"],"c":[]},"d":[{"e":{}},null],"f":"\u001b\u202e"}"#) == """
        {
          "a": {
            "b": [1, 2.50, "x"],
            "c": []
          },
          "d": [
            {
              "e": {}
            },
            null
          ],
          "f": "\\u001b\u{FFFD}"
        }
        """)
  }

  @Test("Long arrays take a line per element")
  func long() throws {
    #expect(try text("[\"\(String(repeating: "x", count: 60))\",1]").split(separator: "\n").count == 4)
  }

  @Test("Colours are around what they colour; a limit ends it")
  func looks() throws {
    #expect(try text(#"{"a":1}"#, palette: Palette(isColored: true)) == "{\n  \u{1B}[36m\"a\"\u{1B}[0m: \u{1B}[33m1\u{1B}[0m\n}")
    #expect(try text(#"{"a":1,"b":2,"c":3}"#, limit: 2) == "{\n  \"a\": 1,")
  }
}
