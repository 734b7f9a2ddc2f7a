/// Numeric IP addresses as text.
enum AddressText {
  /// Whether the text is an IPv4 or IPv6 address and nothing else: no port, no brackets, no zone.
  static func isBare(_ text: String) -> Bool {
    isIPv4(text[...]) || isIPv6(text[...])
  }

  /// The address in a text that has more than that, or `nil` when there is none.
  static func bare(in text: String) -> String? {
    // Java writes `host/address`.
    var rest = text[(text.lastIndex(of: "/").map(text.index(after:)) ?? text.startIndex)...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      rest = rest[rest.index(after: rest.startIndex)..<end]
    } else if rest.filter({ $0 == ":" }).count == 1, let colon = rest.firstIndex(of: ":") {
      rest = rest[..<colon]
    }
    if let zone = rest.firstIndex(of: "%") { rest = rest[..<zone] }
    return isIPv4(rest) || isIPv6(rest) ? String(rest) : nil
  }

  /// Dotted decimal, without zeros in front, which some read as octal.
  private static func isIPv4(_ text: Substring) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        (1...3).contains(part.utf8.count) && part.utf8.allSatisfy(JSONBytes.isDigit) && Int(part).map { $0 < 256 } == true
          && (part.utf8.count == 1 || part.utf8.first != UInt8(ascii: "0"))
      }
  }

  /// RFC 4291, section 2.2.
  static func isIPv6(_ text: Substring) -> Bool {
    guard text.utf8.allSatisfy({ isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) else { return false }
    guard let gap = text.firstRange(of: "::") else { return groupCount(text) == 8 }
    guard let before = groupCount(text[..<gap.lowerBound]), let after = groupCount(text[gap.upperBound...]) else { return false }
    return before + after <= 7 && !text[..<gap.lowerBound].contains(".")
  }

  /// Groups of 16 bits in a text without a gap; `nil` when it is none.
  private static func groupCount(_ text: Substring) -> Int? {
    guard !text.isEmpty else { return 0 }
    var parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var count = 0
    if let last = parts.last, last.contains(".") {
      guard isIPv4(last) else { return nil }
      parts.removeLast()
      count = 2
    }
    guard parts.allSatisfy({ (1...4).contains($0.utf8.count) && $0.utf8.allSatisfy(isHexDigit) }) else { return nil }
    return count + parts.count
  }

  static func isHexDigit(_ byte: UInt8) -> Bool {
    JSONBytes.isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }
}
