/// Finds any of many texts in a text, in one pass: each byte costs the same, however many texts there are.
///
/// A trie whose edges are eight bytes. A text of which 64 bytes stand somewhere counts as found there as far as it goes: so what was
/// walked along in vain is less than that, or is passed over.
struct EchoMatcher: Sendable {
  struct Match: Equatable {
    var range: Range<Int>
    /// What `insert` was given.
    let echo: Int
  }

  /// A shorter text is found nowhere.
  static let shortest = 8
  private static let wordSize = 8
  private static let sureSize = 64

  /// From a node on: eight bytes lead to another node, fewer of them are the end of a text.
  private struct Edge: Hashable {
    let node: Int32
    let size: UInt8
    let word: UInt64
  }

  private struct Node {
    /// Of a text that goes through here.
    let echo: Int32
    /// Bit n: texts end n bytes from here.
    var endings: UInt8 = 0
  }

  private var nodes = [Node(echo: 0)]
  private var targets: [Edge: Int32] = [:]
  /// A bit for each hash of the first eight bytes of a text.
  private var filter: [UInt64]
  private let filterBits: UInt64
  private let multiplier: UInt64

  /// - Parameter capacity: how many texts are to come, about.
  init(capacity: Int, multiplier: UInt64) {
    // Sixteen bits for each, so that one byte in sixteen at most is looked at twice.
    var bits: UInt64 = 12
    while bits < 22, 1 << Int(bits) < capacity * 16 { bits += 1 }
    filterBits = bits
    filter = [UInt64](repeating: 0, count: 1 << Int(bits - 6))
    self.multiplier = multiplier | 1
  }

  /// The first of two equal texts counts.
  mutating func insert(_ text: Span<UInt8>, echo: Int) {
    guard text.count >= Self.shortest else { return }
    let bit = hash(Self.word(of: text, at: 0, size: Self.wordSize))
    filter[Int(bit >> 6)] |= 1 << (bit & 63)
    var node: Int32 = 0
    var place = 0
    while text.count - place >= Self.wordSize {
      let edge = Edge(node: node, size: 8, word: Self.word(of: text, at: place, size: Self.wordSize))
      if let next = targets[edge] {
        node = next
      } else {
        let next = Int32(truncatingIfNeeded: nodes.count)
        nodes.append(Node(echo: Int32(truncatingIfNeeded: echo)))
        targets[edge] = next
        node = next
      }
      place += Self.wordSize
    }
    let rest = text.count - place
    let edge = Edge(node: node, size: UInt8(rest), word: Self.word(of: text, at: place, size: rest))
    nodes[Int(node)].endings |= 1 << UInt8(rest)
    if targets[edge] == nil { targets[edge] = Int32(truncatingIfNeeded: echo) }
  }

  /// The next text that stands in `text`, the longest one of those that begin at the same place.
  func next(in text: Span<UInt8>, from start: Int) -> Match? {
    guard text.count - start >= Self.shortest else { return nil }
    let filter = filter.span
    var word = Self.word(of: text, at: start, size: Self.wordSize)
    var place = start
    while true {
      let bit = hash(word)
      if filter[Int(bit >> 6)] & 1 << (bit & 63) != 0, let match = match(at: place, in: text) { return match }
      place += 1
      guard text.count - place >= Self.wordSize else { return nil }
      word = word >> 8 | UInt64(text[place + 7]) << 56
    }
  }

  private func match(at start: Int, in text: Span<UInt8>) -> Match? {
    var node: Int32 = 0
    var place = start
    var found: Match?
    while text.count - place >= Self.wordSize,
      let next = targets[Edge(node: node, size: 8, word: Self.word(of: text, at: place, size: Self.wordSize))]
    {
      node = next
      place += Self.wordSize
      let endings = nodes[Int(node)].endings
      guard endings != 0 else { continue }
      for size in 0..<min(Self.wordSize, text.count - place + 1) where endings & 1 << UInt8(size) != 0 {
        let edge = Edge(node: node, size: UInt8(size), word: Self.word(of: text, at: place, size: size))
        if let echo = targets[edge] { found = Match(range: start..<place + size, echo: Int(echo)) }
      }
    }
    if place - start >= Self.sureSize, place > found?.range.upperBound ?? start {
      return Match(range: start..<place, echo: Int(nodes[Int(node)].echo))
    }
    return found
  }

  private func hash(_ word: UInt64) -> UInt64 {
    (word &* multiplier) >> (64 - filterBits)
  }

  /// Up to eight bytes as a little-endian number.
  private static func word(of text: Span<UInt8>, at start: Int, size: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<size { word |= UInt64(text[start + offset]) << UInt64(8 * offset) }
    return word
  }
}
