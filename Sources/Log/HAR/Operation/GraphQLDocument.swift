internal import TapelineBase

/// The operations of a document of GraphQL (specification, section 2): kinds, names and outermost fields. Nothing is checked.
struct GraphQLDocument {
  struct Operation {
    /// `query`, `mutation` or `subscription`.
    let kind: String
    fileprivate(set) var name: String?
    /// Without aliases.
    fileprivate(set) var fields: [String] = []
  }

  private(set) var operations: [Operation] = []

  private static let kinds: Set<String> = ["query", "mutation", "subscription"]

  init(_ text: String) {
    var tokens = TokenReader(text)
    var before: Token?
    var (braces, parentheses) = (0, 0)
    var operation: Operation?
    var isOther = false
    while let token = tokens.next() {
      switch token {
      case .mark("("), .mark("["): parentheses += 1
      case .mark(")"), .mark("]"): parentheses = max(0, parentheses - 1)
      case .mark("{") where parentheses == 0:
        // A document may have nothing but the fields of a query (section 2.3).
        if braces == 0, !isOther { operation = operation ?? Operation(kind: "query") }
        braces += 1
      case .mark("}") where parentheses == 0:
        braces = max(0, braces - 1)
        guard braces == 0 else { break }
        operations += [operation].compactMap(\.self)
        (operation, isOther) = (nil, false)
      case .name(let name) where parentheses == 0 && before != .mark("@"):
        if braces == 1 {
          if before == .mark(":") { _ = operation?.fields.popLast() }
          if before != .mark(".") { operation?.fields.append(name) }
        } else if braces == 0, let kind = operation?.kind {
          if before == .name(kind) { operation?.name = name }
        } else if braces == 0, !isOther {
          if Self.kinds.contains(name) { operation = Operation(kind: name) } else { isOther = true }
        }
      case .name, .mark: break
      }
      // `... on Type` and `...Name` name no field.
      before = before == .mark(".") && token == .name("on") ? before : token
    }
    // A document that was cut.
    if braces > 0 { operations += [operation].compactMap(\.self) }
  }
}

private enum Token: Equatable {
  case name(String)
  /// A punctuator by its first character; `"` for a number or a string.
  case mark(Character)
}

/// The tokens of a document (specification, section 2.1.6).
private struct TokenReader {
  private let bytes: [UInt8]
  private var place = 0

  private static let blockEnd = [UInt8](repeating: UInt8(ascii: "\""), count: 3)
  private static let ofNames = ByteSet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
  private static let ofNumbers = ByteSet("0123456789.+-eE")

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  mutating func next() -> Token? {
    while place < bytes.count {
      let start = place
      place += 1
      switch bytes[start] {
      case UInt8(ascii: "#"): skip { $0 != Byte.lineFeed && $0 != Byte.carriageReturn }
      case UInt8(ascii: "\""):
        skipString()
        return .mark("\"")
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        skip { Self.ofNumbers.contains($0) }
        return .mark("\"")
      case let byte where Self.ofNames.contains(byte):
        skip { Self.ofNames.contains($0) }
        return .name(String(decoding: bytes[start..<place], as: UTF8.self))
      // Commas mean nothing (section 2.1.5), and no byte beyond ASCII is a token.
      case UInt8(ascii: ","), 0...Byte.space, 0x7F...: break
      case let byte: return .mark(Character(UnicodeScalar(byte)))
      }
    }
    return nil
  }

  private mutating func skip(while isPart: (UInt8) -> Bool) {
    while place < bytes.count, isPart(bytes[place]) { place += 1 }
  }

  /// Goes behind a string or a block string, whose first quote was taken.
  private mutating func skipString() {
    let isBlock = bytes[(place - 1)...].starts(with: Self.blockEnd)
    let end = isBlock ? Self.blockEnd : [UInt8(ascii: "\"")]
    place += end.count - 1
    while place < bytes.count, !bytes[place...].starts(with: end) {
      // A block string has no other escape than that of its end (section 2.9.4).
      let isEscape = bytes[place] == UInt8(ascii: "\\") && (!isBlock || bytes[(place + 1)...].starts(with: end))
      place += isEscape ? end.count + 1 : 1
    }
    place = min(place + end.count, bytes.count)
  }
}
