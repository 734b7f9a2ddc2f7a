internal import TapelineText

/// A set of bytes to search for in text that rarely contains them.
struct ByteTable: Sendable {
  /// By byte: whether it is a member.
  private let flags: [Flag.RawValue]
  /// The second letter of the word.
  private let second: UInt8

  private enum Flag: UInt8 {
    case none
    case member
    /// The first letter of the word.
    case first
  }

  /// - Parameter word: two small letters; where they follow each other in either case, the first of them is a member.
  init(_ bytes: some Sequence<UInt8>, orWord word: StaticString) {
    precondition(word.utf8CodeUnitCount == 2, "a word is known by its first two letters")
    var flags = [UInt8](repeating: Flag.none.rawValue, count: 256)
    for byte in bytes { flags[Int(byte)] = Flag.member.rawValue }
    flags[Int(word.byte(at: 0))] = Flag.first.rawValue
    flags[Int(word.byte(at: 0) & ~0x20)] = Flag.first.rawValue
    self.flags = flags
    second = word.byte(at: 1)
  }

  /// The place of the next member, from `start` on; the end of the text if no member follows.
  ///
  /// Every byte of a capture passes through here: eight are looked up per branch.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    // Unchecked: a byte is less than 256, the number of flags.
    let flags = flags.span
    var place = start
    while true {
      while text.count - place >= 8 {
        var found: UInt8 = 0
        for offset in 0..<8 { unsafe found |= flags[unchecked: Int(text[unchecked: place + offset])] }
        if found != 0 { break }
        place += 8
      }
      while place < text.count, unsafe flags[unchecked: Int(text[place])] == Flag.none.rawValue { place += 1 }
      guard place < text.count, unsafe flags[unchecked: Int(text[place])] == Flag.first.rawValue else { return place }
      if place + 1 < text.count, Byte.lowercased(text[place + 1]) == second { return place }
      place += 1
    }
  }
}
