/// Exchanges by their numbers: one, as in `7`, or a range, as in `1-3`.
package struct ExchangeRange: Hashable, Sendable, CustomStringConvertible {
  package let numbers: ClosedRange<Int>

  package init?(_ text: String) {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard let first = ends.first.flatMap({ Self.number($0) }), ends.count <= 2,
      let last = ends.count == 2 ? Self.number(ends[1]) : first, first <= last
    else { return nil }
    numbers = first...last
  }

  /// Digits alone: `Int` takes a sign.
  private static func number(_ text: Substring) -> Int? {
    guard text.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(text), number > 0 else { return nil }
    return number
  }

  package var description: String {
    numbers.count == 1 ? "\(numbers.lowerBound)" : "\(numbers.lowerBound)-\(numbers.upperBound)"
  }
}
