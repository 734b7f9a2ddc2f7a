extension JSONValue: CustomStringConvertible {
  /// The value as JSON text, members sorted by name.
  public var description: String { text(isPretty: false) }

  /// The value as JSON text, members sorted by name. A number that is not finite, which no body has, is `null`.
  func text(isPretty: Bool) -> String {
    var output = ""
    append(to: &output, indentation: isPretty ? "" : nil)
    return output
  }

  /// - Parameter indentation: of the line the value stands on; `nil` for text without line ends.
  private func append(to output: inout String, indentation: String?) {
    switch self {
    case .null: output += "null"
    case .bool(let bool): output += bool ? "true" : "false"
    case .integer(let integer): output += String(integer)
    case .number(let number): output += number.isFinite ? String(number) : "null"
    case .string(let text): Self.append(text, to: &output)
    case .array(let elements):
      Self.append(elements, in: ("[", "]"), to: &output, indentation: indentation) { element, output, inner in
        element.append(to: &output, indentation: inner)
      }
    case .object(let members):
      let sorted = members.sorted { $0.key < $1.key }
      Self.append(sorted, in: ("{", "}"), to: &output, indentation: indentation) { member, output, inner in
        Self.append(member.key, to: &output)
        output += inner == nil ? ":" : ": "
        member.value.append(to: &output, indentation: inner)
      }
    }
  }

  /// The pieces between brackets, a line each where there is an indentation.
  private static func append<Piece>(
    _ pieces: [Piece], in brackets: (open: String, close: String), to output: inout String, indentation: String?,
    appendPiece: (Piece, inout String, String?) -> Void
  ) {
    output += brackets.open
    let inner = indentation.map { $0 + "  " }
    for (index, piece) in pieces.enumerated() {
      if index > 0 { output += "," }
      if let inner { output += "\n" + inner }
      appendPiece(piece, &output, inner)
    }
    if let indentation, !pieces.isEmpty { output += "\n" + indentation }
    output += brackets.close
  }

  /// A string (RFC 8259 7): quotes, backslashes and controls are escaped, all else is itself.
  private static func append(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
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

  /// What the first alternative that does not throw makes.
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
