/// The compact text in which a log has the arrivals of an exchange: whole numbers in digits of base 64, five bits in each and the
/// lowest first; the last digit of a number has 32 more.
///
/// An arrival has two numbers, a message three: microseconds since the arrival before, for the first since the exchange began;
/// bytes; what the message is. If the log has the body in other bytes, `.` follows, and for each piece how many of those it
/// completed. Behind `+` stands, in decimal digits, how many more there were.
package struct ArrivalText: Hashable, Sendable {
  package let numbers: [Int]
  package let contentSizes: [Int]
  package let leftOut: Int

  fileprivate static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = digits.indices.reduce(into: [UInt8](repeating: 64, count: 256)) {
    $0[Int(digits[$1])] = UInt8($1)
  }

  /// `nil` for a text that is none of ours.
  package init?(_ text: String) {
    let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
    let lists = parts[0].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let numbers = Self.numbers(in: lists[0]), let sizes = lists.count > 1 ? Self.numbers(in: lists[1]) : [],
      let leftOut = parts.count > 1 ? Int(parts[1]) : 0, leftOut >= 0
    else { return nil }
    (self.numbers, contentSizes, self.leftOut) = (numbers, sizes, leftOut)
  }

  private static func numbers(in text: Substring) -> [Int]? {
    var numbers: [Int] = []
    var (number, shift) = (0, 0)
    for byte in text.utf8 {
      let value = Int(values[Int(byte)])
      guard value < 64, shift < 60 else { return nil }
      number |= (value & 31) << shift
      shift += 5
      guard value >= 32 else { continue }
      numbers.append(number)
      (number, shift) = (0, 0)
    }
    return shift == 0 ? numbers : nil
  }
}

extension JSONWriter {
  /// Appends one number of an `ArrivalText`.
  package mutating func append(arrival number: Int) {
    var rest = UInt(max(0, number))
    while rest > 31 {
      append(byte: ArrivalText.digits[Int(rest & 31)])
      rest >>= 5
    }
    append(byte: ArrivalText.digits[Int(rest) + 32])
  }
}
