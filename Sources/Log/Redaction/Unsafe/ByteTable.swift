internal import CVectors
internal import TapelineBase

/// A set of ASCII characters and of pairs of them, to search for in text that rarely contains them.
struct ByteTable: Sendable {
  /// Bytes whose lower and upper halves may each be some of sixteen, in any combination; a bit for each of them.
  private struct Class: Equatable {
    var lower: UInt16 = 0
    var upper: UInt16 = 0

    static let any = Class(lower: .max, upper: .max)

    func union(_ byte: UInt8) -> Class { Class(lower: lower | 1 << (byte & 0xF), upper: upper | 1 << (byte >> 4)) }
  }

  private var pairs = byte_search_pairs()
  private var groups = 0

  /// - Parameters:
  ///   - words: two small letters each; where they follow each other in either case, the first of them is a member.
  ///   - joined: a member only where text follows: a letter, a digit, or one of `+,-./` and what follows them in ASCII, which may
  ///     begin a value in base64. So it is none at the end of a sentence.
  /// - Precondition: There are at most eight groups: of bytes that have their upper half in common, of words that have their
  ///   first letter in common and a second one in the same half of the alphabet; and two for what is joined.
  init(_ bytes: some Sequence<UInt8>, orWords words: [StaticString] = [], joined: UInt8? = nil) {
    for (_, bytes) in Dictionary(grouping: bytes, by: { $0 >> 4 }).sorted(by: { $0.key < $1.key }) {
      insert(bytes.reduce(Class()) { $0.union($1) }, before: .any)
    }
    let letters = words.map { (first: $0.byte(at: 0), second: $0.byte(at: 1)) }
    for (_, words) in Dictionary(grouping: letters, by: { [$0.first, $0.second >> 4] }).sorted(by: { $0.key[0] < $1.key[0] }) {
      insert(Self.eitherCase(words.map(\.first)), before: Self.eitherCase(words.map(\.second)))
    }
    if let joined {
      let joined = Class().union(joined)
      insert(joined, before: (UInt8(ascii: "+")...UInt8(ascii: "/")).reduce(Class()) { $0.union($1) })
      insert(joined, before: Class(lower: .max, upper: 0b1111_1000))
    }
  }

  private static func eitherCase(_ letters: [UInt8]) -> Class {
    letters.reduce(Class()) { $0.union($1).union($1 ^ 0x20) }
  }

  private mutating func insert(_ first: Class, before second: Class) {
    precondition(groups < 8, "the search has room for these groups")
    let group = UInt8(1) << groups
    groups += 1
    unsafe withUnsafeMutableBytes(of: &pairs) { table in
      for (byte, wanted) in [first, second].enumerated() {
        for half in 0..<16 {
          if wanted.lower >> half & 1 == 1 { unsafe table[byte * 16 + half] |= group }
          if wanted.upper >> half & 1 == 1 { unsafe table[(2 + byte) * 16 + half] |= group }
        }
      }
    }
  }

  /// The place of the next member, from `start` on; the end of the text if no member follows.
  ///
  /// Every byte of a capture passes through here.
  func firstMember(of text: Span<UInt8>, from start: Int) -> Int {
    unsafe search(text, from: start, byte_search_first_pair)
  }

  /// The same without vectors, for tests.
  func firstMemberByBytes(of text: Span<UInt8>, from start: Int) -> Int {
    unsafe search(text, from: start, byte_search_first_pair_scalar)
  }

  private func search(
    _ text: Span<UInt8>, from start: Int,
    _ first: (UnsafePointer<UInt8>?, Int, UnsafePointer<byte_search_pairs>?) -> Int
  ) -> Int {
    unsafe text.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return start }
      return unsafe withUnsafePointer(to: pairs) { unsafe start + first(base + start, bytes.count - start, $0) }
    }
  }
}
