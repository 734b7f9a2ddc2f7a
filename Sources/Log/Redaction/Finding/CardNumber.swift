internal import TapelineBase

/// The number of a payment card (ISO/IEC 7812): an issuer's prefix with its length, and the check digit of Luhn, in one piece
/// or in groups.
///
/// One number of ten has a fitting check digit by chance: the prefix, the length and the place as a whole value make it a card.
enum CardNumber {
  /// The number that is the value after the mark at `place`, quoted or not: `"number": "4111 1111 1111 1111"`, `card=4111…`,
  /// `<no>4111…`.
  ///
  /// - Returns: its digits, and whether they are in quotes; `nil` if something else is there.
  static func value(after place: Int, in text: Span<UInt8>) -> (range: Range<Int>, isQuoted: Bool)? {
    var start = place + 1
    while start < text.count, start - place <= 2, text[start] == 0x20 { start += 1 }
    guard start < text.count else { return nil }
    // Most values begin otherwise.
    if mayBegin(text[start]) { return range(at: start, in: text).map { ($0, false) } }
    guard let quote = Quote(beginningAt: start, in: text) else { return nil }
    return range(at: start + quote.size, in: text).map { ($0, true) }
  }

  /// The number that begins at `start`.
  static func range(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard start < text.count, mayBegin(text[start]) else { return nil }
    var digits = InlineArray<16, UInt8>(repeating: 0)
    var (count, group, place) = (0, 0, start)
    while place < text.count {
      if Byte.isDigit(text[place]) {
        guard count < 16 else { return nil }
        digits[count] = text[place] - UInt8(ascii: "0")
        (count, group, place) = (count + 1, group + 1, place + 1)
      } else if group >= 4, let separator = separator(at: place, in: text) {
        group = 0
        place += separator
      } else {
        break
      }
    }
    if place < text.count, TokenShapes.isWord(text[place]) || text[place] == UInt8(ascii: ".") { return nil }
    return isIssued(digits, count) && hasCheckDigit(digits, count) ? start..<place : nil
  }

  @inline(__always)
  private static func mayBegin(_ byte: UInt8) -> Bool { (UInt8(ascii: "2")...UInt8(ascii: "6")).contains(byte) }

  /// The length of what stands between two groups, if digits follow.
  private static func separator(at place: Int, in text: Span<UInt8>) -> Int? {
    let length: Int
    switch text[place] {
    case 0x20, UInt8(ascii: "-"), UInt8(ascii: "+"): length = 1
    case UInt8(ascii: "%") where text.matches("%20", at: place): length = 3
    default: return nil
    }
    return place + length < text.count && Byte.isDigit(text[place + length]) ? length : nil
  }

  /// Visa, Mastercard, American Express, Discover, JCB, UnionPay and Diners Club, as they are issued today.
  private static func isIssued(_ digits: InlineArray<16, UInt8>, _ count: Int) -> Bool {
    let prefix = (0..<4).reduce(0) { $0 * 10 + Int(digits[$1]) }
    return switch (count, prefix) {
    case (16, 4000...4999), (16, 5100...5599), (16, 2221...2720), (16, 6011), (16, 6440...6599), (16, 3528...3589),
      (16, 6200...6299),
      (15, 3400...3499), (15, 3700...3799), (14, 3000...3059), (14, 3600...3699), (14, 3800...3999):
      true
    default: false
    }
  }

  private static func hasCheckDigit(_ digits: InlineArray<16, UInt8>, _ count: Int) -> Bool {
    var sum = 0
    for place in 0..<count {
      let digit = Int(digits[count - 1 - place])
      let weighted = place % 2 == 0 ? digit : digit * 2
      sum += weighted > 9 ? weighted - 9 : weighted
    }
    return sum % 10 == 0
  }
}
