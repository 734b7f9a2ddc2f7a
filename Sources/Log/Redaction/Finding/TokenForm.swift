internal import TapelineBase

/// A key or a token that is known by its beginning.
struct TokenForm: Sendable {
  enum Alphabet: Sendable {
    case alphanumeric
    case capitals
    case hexadecimal
    /// Letters, digits, `_` and `-`.
    case word
    /// A word with dots.
    case dotted
    /// Base64 in either alphabet (RFC 4648 4 and 5), with its padding.
    case base64

    func contains(_ byte: UInt8) -> Bool {
      switch self {
      case .alphanumeric: ByteSet.alphanumeric.contains(byte)
      case .capitals: Byte.isDigit(byte) || Byte.isUppercase(byte)
      case .hexadecimal: ByteSet.hexadecimal.contains(byte)
      case .word: TokenShapes.isWord(byte)
      case .dotted: TokenShapes.isWord(byte) || byte == UInt8(ascii: ".")
      case .base64:
        TokenShapes.isWord(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
      }
    }
  }

  /// Where a form may be.
  enum Place: Sendable {
    /// Also within a word: no word has this prefix.
    case anywhere
    /// At the beginning of a word.
    case wordBegin
  }

  enum Check: Sendable {
    case none
    /// Small letters, capitals and digits are all there: the prefix alone tells little.
    case mixed
  }

  let prefix: StaticString
  let alphabet: Alphabet
  /// How many bytes follow the prefix.
  let length: ClosedRange<Int>
  let place: Place
  let check: Check
  /// Who says so.
  let source: StaticString
  /// The offset in the prefix of the byte at which a search stops: the last one that is rare in text.
  let anchor: Int

  init(
    _ prefix: StaticString, _ alphabet: Alphabet, _ length: ClosedRange<Int>, at place: Place = .anywhere,
    check: Check = .none, from source: StaticString
  ) {
    self.prefix = prefix
    self.alphabet = alphabet
    self.length = length
    self.place = place
    self.check = check
    self.source = source
    let offsets = 0..<prefix.utf8CodeUnitCount
    anchor =
      offsets.last { Self.separators.contains(prefix.byte(at: $0)) } ?? offsets.last { prefix.byte(at: $0) == UInt8(ascii: "I") }
      ?? 0
  }

  init(
    _ prefix: StaticString, _ alphabet: Alphabet, _ length: PartialRangeFrom<Int>, at place: Place = .anywhere,
    check: Check = .none, from source: StaticString
  ) {
    self.init(prefix, alphabet, length.lowerBound...Int.max, at: place, check: check, from: source)
  }

  private static let separators = ByteSet("_-.:/")

  /// The token whose prefix begins at `start`; `nil` when the text there is no token of this form.
  func token(at start: Int, in text: Span<UInt8>) -> Range<Int>? {
    guard text.matches(prefix, at: start) else { return nil }
    // The text before the token is checked first: otherwise the rest of a long word would be scanned again and again.
    let isFree = place == .anywhere || TextBefore.beginsWord(start, in: text)
    guard isFree || Self.mayBeLength(before: start, in: text) else { return nil }
    let contentStart = start + prefix.utf8CodeUnitCount
    let most = min(isFree ? Int.max : 0xFF, length.upperBound)
    let shown = most == .max ? text : text.extracting(first: contentStart + most + 1)
    let contentEnd = shown.end(of: alphabet.contains, from: contentStart)
    guard length.contains(contentEnd - contentStart) else { return nil }
    // A part of the word that another alphabet would have is no part that may stay.
    let end = length.upperBound == .max ? text.end(of: TokenShapes.isWord, from: contentEnd) : contentEnd
    if check == .mixed, !Self.isMixed(text.extracting(contentStart..<contentEnd)) { return nil }
    return isFree || Self.isLength(end - start, before: start, in: text) ? start..<end : nil
  }

  /// Whether a single byte is before a token, with no word before it but the mark of a text in CBOR.
  static func mayBeLength(before start: Int, in text: Span<UInt8>) -> Bool {
    start > 0 && (start == 1 || text[start - 2] == 0x78 || !TokenShapes.isWord(text[start - 2]))
  }

  /// Whether the byte before a token is its length, as Protocol Buffers, CBOR and MessagePack write it.
  static func isLength(_ count: Int, before start: Int, in text: Span<UInt8>) -> Bool {
    start > 0 && Int(text[start - 1]) == count
  }

  private static func isMixed(_ content: Span<UInt8>) -> Bool {
    var (digits, small, capitals) = (false, false, false)
    for index in content.indices {
      digits = digits || Byte.isDigit(content[index])
      small = small || Byte.isLowercase(content[index])
      capitals = capitals || Byte.isUppercase(content[index])
    }
    return digits && small && capitals
  }

  // MARK: The search

  /// The forms by their anchor and the byte before it: nearly all text has other bytes there.
  private static let table: [[TokenForm]] = {
    var table = [[TokenForm]](repeating: [], count: anchors.count * 256)
    for form in all {
      let before = form.anchor > 0 ? form.prefix.byte(at: form.anchor - 1) : form.prefix.byte(at: 1)
      guard let row = anchors.firstIndex(of: form.prefix.byte(at: form.anchor)) else {
        preconditionFailure("a search stops at the anchor")
      }
      table[row * 256 + Int(before)].append(form)
    }
    return table
  }()

  /// The bytes of prefixes at which a search stops.
  static let anchors: [UInt8] = Array("_-.:/Id".utf8)

  /// A token with its anchor at `place`.
  static func token(around place: Int, in text: Span<UInt8>) -> Range<Int>? {
    let byte = text[place]
    let neighbour = byte == UInt8(ascii: "d") ? place + 1 : place - 1
    guard neighbour >= 0, neighbour < text.count, let row = row(of: byte) else { return nil }
    for form in table[row * 256 + Int(text[neighbour])] {
      let start = place - form.anchor
      if start >= 0, let token = form.token(at: start, in: text) { return token }
    }
    return nil
  }

  @inline(__always)
  private static func row(of byte: UInt8) -> Int? {
    switch byte {
    case UInt8(ascii: "_"): 0
    case UInt8(ascii: "-"): 1
    case UInt8(ascii: "."): 2
    case UInt8(ascii: ":"): 3
    case UInt8(ascii: "/"): 4
    case UInt8(ascii: "I"): 5
    case UInt8(ascii: "d"): 6
    default: nil
    }
  }
}
