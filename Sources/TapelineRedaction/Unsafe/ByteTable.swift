internal import CByteSearch
internal import TapelineText

/// A set of ASCII characters to search for in text that rarely contains them.
struct ByteTable: Sendable {
  private let set: byte_search_set
  /// The first letter of the word, small, and the second.
  private let word: (UInt8, UInt8)

  /// - Parameter word: two small letters; where they follow each other in either case, the first of them is a member.
  init(_ bytes: some Sequence<UInt8>, orWord word: StaticString) {
    precondition(word.utf8CodeUnitCount == 2, "a word is known by its first two letters")
    self.word = (word.byte(at: 0), word.byte(at: 1))
    var set = byte_search_set()
    for byte in Array(bytes) + [self.word.0, self.word.0 & ~0x20] {
      precondition(byte < 0x80, "the set holds ASCII alone")
      unsafe withUnsafeMutableBytes(of: &set.rows) { unsafe $0[Int(byte & 0xF)] |= 1 << (byte >> 4) }
    }
    self.set = set
  }

  /// The place of the next member, from `start` on; the end of the text if no member follows.
  ///
  /// Every byte of a capture passes through here.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    unsafe text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return start }
      var place = start
      while place < bytes.count {
        place += unsafe withUnsafePointer(to: set) { unsafe byte_search_first(base + place, bytes.count - place, $0) }
        guard place < bytes.count, unsafe Byte.lowercased(base[place]) == word.0 else { return place }
        if place + 1 < bytes.count, unsafe Byte.lowercased(base[place + 1]) == word.1 { return place }
        place += 1
      }
      return place
    }
  }
}
