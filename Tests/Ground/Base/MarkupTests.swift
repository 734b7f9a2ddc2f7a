import TapelineBase
import Testing

@Suite("Text within markup")
struct MarkupTests {
  @Test("HTML: what could end text, an attribute or begin an element is a reference")
  func html() {
    #expect("<a href=\"x\">&'\n\u{1}".escaped(for: .html) == "&lt;a href=&quot;x&quot;&gt;&amp;'\n\u{1}")
  }

  @Test("XML 1.0 2.2, 3.3.3: white space stays in attributes, and what XML cannot hold is replaced")
  func xml() {
    #expect(
      "<\"&>\t\n\r \u{0}\u{1F}\u{FFFE}\u{FFFF}é😀".escaped(for: .xml)
        == "&lt;&quot;&amp;&gt;&#9;&#10;&#13; \u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}é😀")
  }

  @Test("A combining mark behind a character hides it from nobody", arguments: [Markup.html, .xml])
  func combined(markup: Markup) {
    #expect("<\u{301}\"\u{301}".escaped(for: markup) == "&lt;\u{301}&quot;\u{301}")
  }
}
