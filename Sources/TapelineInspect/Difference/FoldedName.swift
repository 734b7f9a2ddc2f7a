/// Parts of a URL's path that name one thing of many.
enum FoldedName: Hashable, Sendable {
  /// A number, a UUID, a hash, or random letters and digits. They have one sign, for a hash may happen to be a number.
  case identifier
  case date

  var placeholder: String {
    switch self {
    case .identifier: "{id}"
    case .date: "{date}"
    }
  }

  /// What a whole segment is; `nil` when it is a name to keep.
  init?(whole text: Substring) {
    if Self.isUUID(text.utf8) {
      self = .identifier
    } else if Self.isDate(text.utf8) {
      self = .date
    } else {
      self.init(piece: text)
    }
  }

  /// What a piece of a segment is, between the hyphens, points and the like.
  init?(piece text: Substring) {
    let octets = text.utf8
    guard octets.contains(where: \.isDigit) else { return nil }
    let isNumber = octets.allSatisfy(\.isDigit)
    let isHash = octets.count >= 8 && octets.allSatisfy(\.isHexDigit)
    let isRandom = octets.count >= 16 && octets.allSatisfy(\.isAlphanumeric) && octets.count(where: \.isDigit) >= 2
    guard isNumber || isHash || isRandom else { return nil }
    self = .identifier
  }

  /// 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ octets: Substring.UTF8View) -> Bool {
    guard octets.count == 36 else { return false }
    return octets.enumerated().allSatisfy { index, octet in
      [8, 13, 18, 23].contains(index) ? octet == UInt8(ascii: "-") : octet.isHexDigit
    }
  }

  /// `2026-01-02`, alone or with a time behind a `T`.
  private static func isDate(_ octets: Substring.UTF8View) -> Bool {
    guard octets.count >= 10 else { return false }
    let day = octets.prefix(10).enumerated().allSatisfy { index, octet in
      index == 4 || index == 7 ? octet == UInt8(ascii: "-") : octet.isDigit
    }
    let time = octets.dropFirst(10)
    return day && (time.isEmpty || time.first == UInt8(ascii: "T") && time.dropFirst().first?.isDigit == true)
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self | 0x20) }

  fileprivate var isAlphanumeric: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
