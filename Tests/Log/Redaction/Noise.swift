import TapelineBase

extension SeededGenerator {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

  /// So many of the letters.
  mutating func text(_ count: Int, of letters: String) -> String {
    let letters = Array(letters)
    return String((0..<count).map { _ in one(of: letters) })
  }
}
