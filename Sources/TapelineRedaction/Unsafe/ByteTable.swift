/// A set of bytes to search for in text that rarely contains them.
struct ByteTable: Sendable {
  /// 1 for members, by byte.
  private let flags: [UInt8]

  init(_ bytes: some Sequence<UInt8>) {
    var flags = [UInt8](repeating: 0, count: 256)
    for byte in bytes { flags[Int(byte)] = 1 }
    self.flags = flags
  }

  /// The place of the next member, from `start` on; the end of the text if no member follows.
  ///
  /// Every byte of a capture passes through here: eight are looked up per branch.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    // Unchecked: a byte is less than 256, the number of flags.
    let flags = flags.span
    var place = start
    while text.count - place >= 8 {
      var found: UInt8 = 0
      for offset in 0..<8 { unsafe found |= flags[unchecked: Int(text[unchecked: place + offset])] }
      if found != 0 { break }
      place += 8
    }
    while place < text.count, unsafe flags[unchecked: Int(text[place])] == 0 { place += 1 }
    return place
  }
}
