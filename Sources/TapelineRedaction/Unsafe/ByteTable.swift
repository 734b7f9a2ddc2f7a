internal import CVectors
internal import TapelineText

/// A set of ASCII characters to search for in text that rarely contains them.
struct ByteTable: Sendable {
  private let set: byte_search_set

  /// - Parameters:
  ///   - words: two small letters each; where they follow each other in either case, the first of them is a member.
  ///   - joined: a member only where text follows: a letter, a digit, or what else may begin a value in base64.
  init(_ bytes: some Sequence<UInt8>, orWords words: [StaticString], joined: UInt8? = nil) {
    precondition(words.count <= Int(BYTE_SEARCH_WORDS), "the search has room for these words")
    var set = byte_search_set()
    for (place, word) in words.enumerated() {
      precondition(word.utf8CodeUnitCount == 2, "a word is known by its first two letters")
      unsafe withUnsafeMutableBytes(of: &set.first) { unsafe $0[place] = word.byte(at: 0) }
      unsafe withUnsafeMutableBytes(of: &set.second) { unsafe $0[place] = word.byte(at: 1) }
    }
    for byte in bytes {
      precondition(byte < 0x80, "the set holds ASCII alone")
      unsafe withUnsafeMutableBytes(of: &set.rows) { unsafe $0[Int(byte & 0xF)] |= 1 << (byte >> 4) }
    }
    set.joined = joined ?? 0
    self.set = set
  }

  /// The place of the next member, from `start` on; the end of the text if no member follows.
  ///
  /// Every byte of a capture passes through here.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    unsafe text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return start }
      return unsafe withUnsafePointer(to: set) { unsafe start + byte_search_first(base + start, bytes.count - start, $0) }
    }
  }
}
