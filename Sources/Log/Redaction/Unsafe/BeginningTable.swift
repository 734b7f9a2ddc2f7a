internal import CVectors

/// The first bytes of texts to search for: says where one of them may begin, sixteen bytes at a time.
///
/// The more beginnings differ, the more places look like one. From `limit` on every place counts.
struct BeginningTable: Sendable {
  /// The number of bytes by which texts are known.
  static let size = 4
  /// Each of eight groups has as many then as lets one place in ten pass.
  private static let limit = 64

  private var beginnings = byte_search_beginnings()
  private var known: Set<UInt32> = []
  /// Asked for each place.
  private var isFull = false

  /// - Precondition: `text` has at least `size` bytes.
  mutating func insert(_ text: Span<UInt8>) {
    let word = (0..<Self.size).reduce(UInt32(0)) { $0 << 8 | UInt32(text[$1]) }
    guard !isFull, known.insert(word).inserted else { return }
    isFull = known.count == Self.limit
    let group = UInt8(1) << ((word &* 0x9E37_79B1) >> 29)
    unsafe withUnsafeMutableBytes(of: &beginnings) { table in
      for byte in 0..<Self.size {
        unsafe table[byte * 16 + Int(text[byte] & 0xF)] |= group
        unsafe table[(Self.size + byte) * 16 + Int(text[byte] >> 4)] |= group
      }
    }
  }

  /// The next place, from `start` on, where a text may begin; the end of `text` if there is none.
  func next(in text: Span<UInt8>, from start: Int) -> Int {
    guard !isFull else { return start }
    return unsafe text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return start }
      return unsafe withUnsafePointer(to: beginnings) {
        unsafe start + byte_search_first_beginning(base + start, bytes.count - start, $0)
      }
    }
  }
}
