internal import TapelineHAR

/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number that fits into `Int`.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name; their order is not kept.
  case object([String: JSONValue])

  /// The member of an object; `nil` if there is no such member, or if the value is not an object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element of an array; `nil` if there is no such element, or if the value is not an array.
  public subscript(index: Int) -> JSONValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }
}

// MARK: - From values of Swift

extension JSONValue {
  /// A value that JSON cannot represent.
  public struct UnrepresentableValue: Error, CustomStringConvertible, Sendable {
    /// Where it is, e.g. `user.tags[2]`; empty for the value itself.
    public let path: String
    /// Its kind, e.g. `a Date` or `a number that is not finite`.
    public let kind: String

    public var description: String {
      "JSON has no way to write \(kind)" + (path.isEmpty ? "" : ", which is at \(path)")
    }
  }

  /// The value as JSON: a string, Boolean, number or optional, an array, or a dictionary with string keys, nested as you like.
  public init(_ value: any Sendable) throws(UnrepresentableValue) {
    try self.init(value, path: "")
  }

  private init(_ value: Any, path: String) throws(UnrepresentableValue) {
    switch value {
    case let value as JSONValue: self = try value.checked(path: path)
    case let optional as any OptionalValue:
      guard let wrapped = optional.wrapped else {
        self = .null
        return
      }
      try self.init(wrapped, path: path)
    case let bool as Bool where isBoolean(value): self = .bool(bool)
    case let text as String: self = .string(text)
    case let integer as any BinaryInteger:
      self = Int(exactly: integer).map(JSONValue.integer) ?? .number(Double(integer))
    case let number as any BinaryFloatingPoint: self = try JSONValue.number(Double(number)).checked(path: path)
    case let members as [String: Any]:
      var object: [String: JSONValue] = [:]
      for (name, member) in members {
        object[name] = try JSONValue(member, path: path.isEmpty ? name : "\(path).\(name)")
      }
      self = .object(object)
    case let elements as [Any]:
      var array: [JSONValue] = []
      for (index, element) in elements.enumerated() { array.append(try JSONValue(element, path: "\(path)[\(index)]")) }
      self = .array(array)
    // A number in a box of Foundation's.
    case let integer as Int: self = .integer(integer)
    case let number as Double: self = try JSONValue.number(number).checked(path: path)
    default: throw UnrepresentableValue(path: path, kind: "a \(type(of: value))")
    }
  }

  /// The value itself. Throws if it is or contains a number that JSON cannot represent (RFC 8259 6).
  private func checked(path: String) throws(UnrepresentableValue) -> JSONValue {
    switch self {
    case .number(let number):
      guard number.isFinite else { throw UnrepresentableValue(path: path, kind: "a number that is not finite") }
    case .array(let elements):
      for (index, element) in elements.enumerated() { _ = try element.checked(path: "\(path)[\(index)]") }
    case .object(let members):
      for (name, member) in members { _ = try member.checked(path: path.isEmpty ? name : "\(path).\(name)") }
    case .null, .bool, .integer, .string: break
    }
    return self
  }
}

// MARK: - To values of Swift

extension JSONValue {
  /// The same as `String`, `Bool`, `Int`, `Double`, `[any Sendable]` and `[String: any Sendable]`; `null` stays
  /// `JSONValue.null`.
  public var sendableValue: any Sendable {
    switch self {
    case .null: self
    case .bool(let bool): bool
    case .integer(let integer): integer
    case .number(let number): number
    case .string(let text): text
    case .array(let elements): elements.map(\.sendableValue)
    case .object(let members): members.mapValues(\.sendableValue)
    }
  }
}

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
