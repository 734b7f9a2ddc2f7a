/// Finds a `FieldName` by length and folded bytes: a handful of word comparisons per line, no string.
struct FieldNameIndex: Sendable {
  static let shared = FieldNameIndex()

  /// Names of all lengths, shortest first.
  private let entries: [(key: Key, name: FieldName)]
  /// By length: where its names begin in `entries`. One element longer than needed, so that the next element is always the end.
  private let starts: [UInt8]

  private static let longest = 24

  private init() {
    let known = FieldName.allCases.filter { $0 != .other }.sorted { $0.spelling.utf8.count < $1.spelling.utf8.count }
    entries = known.map { (Key($0.spelling.utf8.span), $0) }
    starts = (0...Self.longest + 1).map { length in
      UInt8(known.count { $0.spelling.utf8.count < length })
    }
  }

  func name(of token: Span<UInt8>) -> FieldName {
    guard token.count <= Self.longest else { return .other }
    let (start, end) = (Int(starts[token.count]), Int(starts[token.count + 1]))
    guard start < end else { return .other }
    let key = Key(token)
    for index in start..<end where entries[index].key == key {
      return entries[index].name
    }
    return .other
  }

  /// All bytes of a name of at most 24 bytes, with bit 5 set in each.
  ///
  /// Setting the bit folds letters. Among bytes of a token it confuses nothing else that our names contain: `^` and `_` become
  /// `~` and DEL, digits and `-` stay. The other byte that maps to `-` (CR) is not in a token and was refused before.
  private struct Key: Equatable {
    private let first: UInt64
    private let last: UInt64
    private let middle: UInt64

    private static let fold: UInt64 = 0x2020_2020_2020_2020

    init(_ bytes: Span<UInt8>) {
      guard bytes.count >= 8 else {
        var word: UInt64 = 0
        for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
        first = word | Self.fold
        last = 0
        middle = 0
        return
      }
      first = bytes.word(at: 0) | Self.fold
      last = bytes.word(at: bytes.count - 8) | Self.fold
      middle = bytes.count > 16 ? bytes.word(at: 8) | Self.fold : 0
    }
  }
}
