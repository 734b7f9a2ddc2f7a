import Testing

@testable import TapelineInspect

@Suite("Wrapped text")
struct WrappedTextTests {
  @Test("At blanks, to the width")
  func lines() {
    #expect("one two three".wrapped(to: 7) == ["one two", "three"])
    #expect("one two three".wrapped(to: 13) == ["one two three"])
    #expect("a unbreakable word".wrapped(to: 5) == ["a", "unbreakable", "word"])
    #expect("".wrapped(to: 5) == [])
  }
}
