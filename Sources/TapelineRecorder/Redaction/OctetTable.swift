/// A set of octets to look for in text that hardly has any of them.
struct OctetTable: Sendable {
  /// 1 for members, by octet.
  private let flags: [UInt8]

  init(_ octets: some Sequence<UInt8>) {
    var flags = [UInt8](repeating: 0, count: 256)
    for octet in octets { flags[Int(octet)] = 1 }
    self.flags = flags
  }

  /// Where the next member stands, from `start` on; the end of the text when there is none.
  ///
  /// Every octet of a capture passes here: eight are looked up for one question.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    // Unchecked: an octet is less than 256, which is how many flags there are.
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
