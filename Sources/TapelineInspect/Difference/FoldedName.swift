internal import TapelineText

/// Parts of a URL's path that identify one of many things.
enum FoldedName: Hashable, Sendable {
  /// A number, a UUID, a hash, or random letters and digits. They share one placeholder, since a hash may look like a number.
  case identifier
  case date

  var placeholder: String {
    switch self {
    case .identifier: "{id}"
    case .date: "{date}"
    }
  }

  /// The kind of a whole segment; `nil` for a name to keep.
  init?(whole text: Substring) {
    if Self.isUUID(text.utf8) {
      self = .identifier
    } else if Self.isDate(text.utf8) {
      self = .date
    } else {
      self.init(piece: text)
    }
  }

  /// The kind of a piece of a segment, between hyphens, full stops and the like.
  init?(piece text: Substring) {
    let bytes = text.utf8
    guard bytes.contains(where: Byte.isDigit) else { return nil }
    let isNumber = bytes.allSatisfy(Byte.isDigit)
    let isHash = bytes.count >= 8 && bytes.allSatisfy(ByteSet.hexadecimal.contains)
    let isRandom = bytes.count >= 16 && bytes.allSatisfy(ByteSet.alphanumeric.contains) && bytes.count(where: Byte.isDigit) >= 2
    guard isNumber || isHash || isRandom else { return nil }
    self = .identifier
  }

  /// 8-4-4-4-12 hexadecimal digits.
  private static func isUUID(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : ByteSet.hexadecimal.contains(byte)
    }
  }

  /// `2026-01-02`, alone or with a `T` and a time.
  private static func isDate(_ bytes: Substring.UTF8View) -> Bool {
    guard bytes.count >= 10 else { return false }
    let day = bytes.prefix(10).enumerated().allSatisfy { index, byte in
      index == 4 || index == 7 ? byte == UInt8(ascii: "-") : Byte.isDigit(byte)
    }
    let time = bytes.dropFirst(10)
    return day && (time.isEmpty || time.first == UInt8(ascii: "T") && time.dropFirst().first.map(Byte.isDigit) == true)
  }
}
