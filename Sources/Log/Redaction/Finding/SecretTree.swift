internal import TapelineBase

/// The JSON object or array, or that of a language like it, under a secret name: every string and number in it is a secret.
///
/// It is walked token by token with one state, so it does not matter what else is in it: names stay, values go, and the text
/// keeps its shape.
struct SecretTree {
  /// Which values of a tree are secrets.
  enum Kind {
    case all
    /// Those that look like secrets, and those under a secret name: the name above them was in the plural, or in a program.
    case likely
    /// All but the attributes of cookies.
    case cookies
  }

  private let kind: Kind
  /// The quotes of the tree's strings; `nil` until the first of them, if the name above has none.
  private var quote: Quote?
  private var depth = 0
  /// Whether a value has ended, and no comma came.
  private var isAfterValue = false
  /// The last string or word, which is a name if a colon follows.
  private var last: Range<Int>?
  /// The names above the next value.
  private var name: Range<Int>?
  private(set) var isDone = false

  init(_ kind: Kind, in quote: Quote?) {
    self.kind = kind
    self.quote = quote
  }

  /// The next secret from `index` on, which moves behind all that was read; `nil` when the tree has no more of them.
  ///
  /// A tree that is cut off ends with the text, or with the string that it is in.
  mutating func next(from index: inout Int, in text: Span<UInt8>, by names: SecretNames) -> SecretFinder.Finding? {
    while index < text.count {
      let byte = text[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        begin(at: &index)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        index += 1
        if depth <= 0 { return end() }
        isAfterValue = true
      case UInt8(ascii: ","):
        name = nil
        begin(at: &index)
      case UInt8(ascii: ":"):
        name = last
        begin(at: &index)
      case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"):
        if let finding = string(at: &index, in: text, by: names) { return finding }
        if isDone { return nil }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        if let finding = number(at: &index, in: text, by: names) { return finding }
      default:
        guard TokenShapes.isWord(byte) else {
          index += 1
          continue
        }
        if let finding = word(at: &index, in: text, by: names) { return finding }
      }
    }
    return end()
  }

  private mutating func begin(at index: inout Int) {
    index += 1
    isAfterValue = false
  }

  private mutating func end() -> SecretFinder.Finding? {
    isDone = true
    return nil
  }

  /// A word without quotes: a name, a value of YAML, or one that is the same in every document.
  private mutating func word(at index: inout Int, in text: Span<UInt8>, by names: SecretNames) -> SecretFinder.Finding? {
    let word = index..<text.end(of: { TokenShapes.isWord($0) || $0 == UInt8(ascii: ".") }, from: index)
    index = word.upperBound
    let isValue = !isAfterValue
    isAfterValue = true
    last = word
    let after = text.skippingBlanks(from: index)
    guard isValue, after < text.count, [UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]")].contains(text[after]),
      kind != .cookies, !Self.constants.contains(where: { text.equals($0, in: word) }),
      LikelySecret.isLikely(text.extracting(word)) || isNamed(text, names)
    else { return nil }
    return SecretFinder.Finding(range: word)
  }

  private static let constants: [StaticString] = ["true", "false", "null", "none", "nil", "undefined"]

  private mutating func string(at index: inout Int, in text: Span<UInt8>, by names: SecretNames) -> SecretFinder.Finding? {
    guard let found = Quote(beginningAt: index, in: text) else {
      // Another escape, such as a line end in a string that has the tree.
      index += 2
      return nil
    }
    let own = quote ?? found
    if found.level < own.level || found.mark != own.mark && isAfterValue { return end() }
    guard found.level == own.level else {
      index += found.size
      return nil
    }
    quote = own
    let content = found.content(from: index, in: text)
    let isClosed = Quote(beginningAt: content.upperBound, in: text) == found
    index = isClosed ? content.upperBound + found.size : content.upperBound
    isAfterValue = true
    last = content
    let after = text.skippingBlanks(from: index)
    if after < text.count, text[after] == UInt8(ascii: ":") { return nil }
    guard !content.isEmpty, isSecret(content, in: text, by: names) else { return nil }
    return SecretFinder.Finding(range: content)
  }

  /// A number, which may be negative or have a fraction; a small number is a count, not a code.
  private mutating func number(at index: inout Int, in text: Span<UInt8>, by names: SecretNames) -> SecretFinder.Finding? {
    let end = text.end(of: Echoes.isOfNumber, from: index)
    guard end == text.count || !TokenShapes.isWord(text[end]) else {
      return word(at: &index, in: text, by: names)
    }
    let range = index..<end
    index = end
    isAfterValue = true
    last = nil
    var digits = 0
    for place in range where Byte.isDigit(text[place]) { digits += 1 }
    guard digits >= 4, kind == .all || isNamed(text, names) else { return nil }
    return SecretFinder.Finding(range: range, quotes: quote ?? .plain)
  }

  private func isSecret(_ content: Range<Int>, in text: Span<UInt8>, by names: SecretNames) -> Bool {
    switch kind {
    case .all: true
    case .likely: LikelySecret.isLikely(text.extracting(content)) || isNamed(text, names)
    case .cookies: !isAttribute(text)
    }
  }

  private func isNamed(_ text: Span<UInt8>, _ names: SecretNames) -> Bool {
    name.map { names.contains(text.extracting($0)) } ?? false
  }

  private static let attributes: [StaticString] = [
    "name", "path", "domain", "expires", "expirationdate", "max-age", "maxage", "samesite", "httponly", "secure", "hostonly",
    "priority", "partitioned", "session", "storeid", "url", "sourcescheme", "size",
  ]

  private func isAttribute(_ text: Span<UInt8>) -> Bool {
    guard let name else { return false }
    return Self.attributes.contains { text.equals($0, in: name) }
  }
}

extension Span<UInt8> {
  /// Whether the object at `brace` describes values instead of having them: `{"type": "string", …}` and `{"$ref": "#/…"}`, as
  /// OpenAPI and JSON Schema write under the name of a property.
  func isSchema(at brace: Int) -> Bool {
    guard self[brace] == UInt8(ascii: "{") else { return false }
    let limit = Swift.min(count, brace + 256)
    var index = brace + 1
    while index < limit, self[index] != UInt8(ascii: "}"), self[index] != UInt8(ascii: "{") {
      if let quote = Quote(beginningAt: index, in: self) {
        let name = quote.content(from: index, in: self)
        index = Swift.min(name.upperBound + quote.size, count)
        guard equals("type", in: name) || equals("$ref", in: name) else { continue }
        index = skippingBlanks(from: index)
        guard index < limit, self[index] == UInt8(ascii: ":"),
          let value = Quote(beginningAt: skippingBlanks(from: index + 1), in: self)?.content(
            from: skippingBlanks(from: index + 1), in: self)
        else { return false }
        return Self.schemaTypes.contains { equals($0, in: value) } || matches("#/", at: value.lowerBound)
      }
      index += 1
    }
    return false
  }

  private static var schemaTypes: [StaticString] { ["string", "object", "array", "integer", "number", "boolean", "null"] }
}
