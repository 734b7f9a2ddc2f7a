internal import TapelineHAR

extension JSONValue: CustomStringConvertible {
  /// The value as JSON text, members sorted by name.
  public var description: String { text(isPretty: false) }

  /// The value as JSON text, members sorted by name. A number that is not finite, which no body has, is `null`.
  func text(isPretty: Bool) -> String {
    var writer = JSONWriter()
    append(to: &writer, indentation: isPretty ? "" : nil)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// - Parameter indentation: of the value's line; `nil` for text without line ends.
  private func append(to writer: inout JSONWriter, indentation: String?) {
    switch self {
    case .null: writer.append(json: "null")
    case .bool(true): writer.append(json: "true")
    case .bool(false): writer.append(json: "false")
    case .integer(let integer): writer.append(integer: integer)
    case .number(let number): writer.append(plain: number.isFinite ? String(number) : "null")
    case .string(let text): writer.append(string: text)
    case .array(let elements):
      writer.append(elements, in: ("[", "]"), indentation: indentation) { element, writer, inner in
        element.append(to: &writer, indentation: inner)
      }
    case .object(let members):
      let sorted = members.sorted { $0.key < $1.key }
      writer.append(sorted, in: ("{", "}"), indentation: indentation) { member, writer, inner in
        writer.append(string: member.key)
        writer.append(plain: inner == nil ? ":" : ": ")
        member.value.append(to: &writer, indentation: inner)
      }
    }
  }
}

extension JSONWriter {
  /// Writes the pieces between brackets, each on its own line if there is an indentation.
  fileprivate mutating func append<Piece>(
    _ pieces: [Piece], in brackets: (open: String, close: String), indentation: String?,
    appendPiece: (Piece, inout JSONWriter, String?) -> Void
  ) {
    append(plain: brackets.open)
    let inner = indentation.map { $0 + "  " }
    for (index, piece) in pieces.enumerated() {
      if index > 0 { append(plain: ",") }
      if let inner { append(plain: "\n" + inner) }
      appendPiece(piece, &self, inner)
    }
    if let indentation, !pieces.isEmpty { append(plain: "\n" + indentation) }
    append(plain: brackets.close)
  }
}

extension JSONValue: Decodable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
      return
    }
    if let value = Self.first(of: [
      { .bool(try container.decode(Bool.self)) }, { .string(try container.decode(String.self)) },
      { .integer(try container.decode(Int.self)) }, { .number(try container.decode(Double.self)) },
      { .array(try container.decode([JSONValue].self)) },
    ]) {
      self = value
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The result of the first alternative that does not throw.
  private static func first(of alternatives: [() throws -> JSONValue]) -> JSONValue? {
    for alternative in alternatives {
      if case .success(let value) = Result(catching: alternative) { return value }
    }
    return nil
  }
}

extension JSONValue: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .integer(let integer): try container.encode(integer)
    case .number(let number): try container.encode(number)
    case .string(let text): try container.encode(text)
    case .array(let elements): try container.encode(elements)
    case .object(let members): try container.encode(members)
    }
  }
}
