internal import TapelineBase

/// The matcher for an entry's secrets; it is reused as long as consecutive entries have the same secrets.
package struct EntryMatcher {
  /// Finds nothing until there is something to find. Not optional: each search would copy it.
  private var matcher = EchoMatcher(capacity: 0, multiplier: 1)
  private var hashes: [UInt64] = []
  private(set) var secrets: [Echoes.Secret] = []
  private var isOfThisEntry = false

  /// Whether this entry has any secret to search for.
  package var isNeeded: Bool { isOfThisEntry }

  /// Begins another entry.
  mutating func forget() {
    isOfThisEntry = false
  }

  mutating func prepare(for echoes: Echoes) {
    isOfThisEntry = !echoes.isEmpty
    guard isOfThisEntry, !hashes.elementsEqual(echoes.secrets.lazy.map(\.hash)) else { return }
    secrets = echoes.secrets
    hashes = secrets.map(\.hash)
    var matcher = EchoMatcher(capacity: secrets.count * 4, multiplier: .random(in: 0...UInt64.max))
    for (index, secret) in secrets.enumerated() {
      for spelling in EchoSpellings.all(of: secret.bytes) { matcher.insert(spelling.span, echo: index) }
    }
    self.matcher = matcher
  }

  func next(in text: Span<UInt8>, from start: Int) -> EchoMatcher.Match? {
    matcher.next(in: text, from: start)
  }
}

/// Finds any of many texts in a text, in one pass: each byte costs the same, however many texts there are, and little if they
/// are few.
///
/// A trie whose edges are eight bytes. If at least the first 64 bytes of a text match, the matching part counts as found:
/// so a walk in vain is shorter than that, and a longer walk is skipped over.
struct EchoMatcher: Sendable {
  struct Match: Equatable {
    var range: Range<Int>
    /// The value that was given to `insert`.
    let echo: Int
  }

  /// Shorter texts are never found.
  static let shortest = 8
  private static let wordSize = 8
  private static let sureSize = 64

  /// An edge from a node: eight bytes lead to another node, fewer bytes are the end of a text.
  private struct Edge: Hashable {
    let node: Int32
    let size: UInt8
    let word: UInt64
  }

  private struct Node {
    /// The echo of one text whose path contains this node.
    let echo: Int32
    /// Bit n: texts end n bytes from here.
    var endings: UInt8 = 0
  }

  private var nodes = [Node(echo: 0)]
  private var targets: [Edge: Int32] = [:]
  private var beginnings = BeginningTable()
  /// A bit for each hash of the first eight bytes of a text.
  private var filter: [UInt64]
  private let filterBits: UInt64
  private let multiplier: UInt64

  /// - Parameter capacity: the approximate number of texts.
  init(capacity: Int, multiplier: UInt64) {
    // Sixteen bits for each text, so that at most one byte in sixteen is checked further.
    var bits: UInt64 = 12
    while bits < 22, 1 << Int(bits) < capacity * 16 { bits += 1 }
    filterBits = bits
    filter = [UInt64](repeating: 0, count: 1 << Int(bits - 6))
    self.multiplier = multiplier | 1
  }

  /// Inserts a text. If two texts are equal, the first counts.
  mutating func insert(_ text: Span<UInt8>, echo: Int) {
    guard text.count >= Self.shortest else { return }
    beginnings.insert(text)
    let bit = hash(text.word(at: 0))
    filter[Int(bit >> 6)] |= 1 << (bit & 63)
    var node: Int32 = 0
    var place = 0
    while text.count - place >= Self.wordSize {
      let edge = Edge(node: node, size: 8, word: text.word(at: place))
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

  /// The next of the texts in `text`; the longest of those that begin at the same place.
  func next(in text: Span<UInt8>, from start: Int) -> Match? {
    var place = start
    while text.count - place >= Self.shortest {
      place = beginnings.next(in: text, from: place)
      guard text.count - place >= Self.shortest else { return nil }
      let bit = hash(text.word(at: place))
      if filter[Int(bit >> 6)] & 1 << (bit & 63) != 0, let match = match(at: place, in: text) { return match }
      place += 1
    }
    return nil
  }

  private func match(at start: Int, in text: Span<UInt8>) -> Match? {
    var node: Int32 = 0
    var place = start
    var found: Match?
    while text.count - place >= Self.wordSize,
      let next = targets[Edge(node: node, size: 8, word: text.word(at: place))]
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

  /// Reads fewer than eight bytes as a little-endian number.
  private static func word(of text: Span<UInt8>, at start: Int, size: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<size { word |= UInt64(text[start + offset]) << UInt64(8 * offset) }
    return word
  }
}
