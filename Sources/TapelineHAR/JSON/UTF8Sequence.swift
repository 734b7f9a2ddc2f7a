/// Well-formed UTF-8 by table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
enum UTF8Sequence {
  /// The length of the well-formed sequence beyond ASCII that starts at `start`; 0 when `available` bytes hold no such sequence.
  @unsafe @inline(__always)
  static func length(at start: UnsafePointer<UInt8>, within available: Int) -> Int {
    let lead = unsafe start[0]
    switch lead {
    case 0xC2...0xDF:
      guard available >= 2, unsafe isContinuation(start[1]) else { return 0 }
      return 2
    case 0xE0...0xEF:
      guard available >= 3, unsafe isContinuation(start[1]), unsafe isContinuation(start[2]) else { return 0 }
      let second = unsafe start[1]
      if lead == 0xE0, second < 0xA0 { return 0 }
      if lead == 0xED, second > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard
        available >= 4, unsafe isContinuation(start[1]), unsafe isContinuation(start[2]), unsafe isContinuation(start[3])
      else { return 0 }
      let second = unsafe start[1]
      if lead == 0xF0, second < 0x90 { return 0 }
      if lead == 0xF4, second > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool {
    byte & 0xC0 == 0x80
  }
}
