import Testing

@testable import TapelineInspect

@Suite("Printable text")
struct PrintableTextTests {
  @Test("Control characters of every kind are replaced, one for one")
  func controls() {
    #expect("a\u{1B}[2Jb\u{7F}c\u{9B}d\r\ne".printable == "a\u{FFFD}[2Jb\u{FFFD}c\u{FFFD}d\u{FFFD}\u{FFFD}e")
  }

  @Test("Text without them stays as it is")
  func harmless() {
    #expect("grüße 👋 https://h/?a=1".printable == "grüße 👋 https://h/?a=1")
  }

  @Test("Lines and tabs can be kept")
  func lines() {
    #expect("a\tb\n\u{1B}c\r\n".printableLines == "a\tb\n\u{FFFD}c\u{FFFD}\n")
  }
}
