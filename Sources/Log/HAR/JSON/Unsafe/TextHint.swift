internal import CVectors
internal import TapelineBase

/// A text that a value must contain to be worth reading: the values without it are skipped, 32 bytes at a time.
struct TextHint: Sendable {
  private let text: StaticString
  private var beginnings = byte_search_beginnings()

  /// How many bytes of it are searched for at once.
  private static let beginning = 4

  /// - Precondition: `text` has at least four bytes.
  init(_ text: StaticString) {
    precondition(text.utf8CodeUnitCount >= Self.beginning, "a hint has four bytes to search for")
    self.text = text
    unsafe withUnsafeMutableBytes(of: &beginnings) { table in
      for byte in 0..<Self.beginning {
        let wanted = unsafe text.utf8Start[byte]
        unsafe table[byte * 16 + Int(wanted & 0xF)] = 1
        unsafe table[(Self.beginning + byte) * 16 + Int(wanted >> 4)] = 1
      }
    }
  }

  /// Whether the text is among these bytes.
  @unsafe
  func isIn(_ bytes: UnsafePointer<UInt8>, count: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    return unsafe withUnsafePointer(to: beginnings) { beginnings in
      var place = 0
      while count - place >= length {
        unsafe place += byte_search_first_beginning(bytes + place, count - place, beginnings)
        guard count - place >= length else { return false }
        if unsafe (bytes + place).hasSameBytes(as: text.utf8Start, count: length) { return true }
        place += 1
      }
      return false
    }
  }
}

extension JSONParser {
  /// Whether one of the texts is among the bytes of `range`, which lies before `end`.
  func has(_ hints: [TextHint], in range: Range<Int>) -> Bool {
    hints.contains { unsafe $0.isIn(bytes + range.lowerBound, count: range.count) }
  }
}

extension Span<UInt8> {
  func has(_ hint: TextHint) -> Bool {
    unsafe withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe hint.isIn(start, count: bytes.count)
    }
  }
}
