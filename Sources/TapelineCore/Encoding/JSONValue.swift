/// A JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction that fits.
  case integer(Int)
  /// Any other number.
  case number(Double)
  /// Text.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Values by name; their order is not kept.
  case object([String: JSONValue])

  /// The member of an object; `nil` when there is none, or when the value is no object.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The element of an array; `nil` when there is none, or when the value is no array.
  public subscript(index: Int) -> JSONValue? {
    if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { nil }
  }
}

// MARK: - From values of Swift

extension JSONValue {
  /// A value that JSON has not.
  public struct UnrepresentableValue: Error, CustomStringConvertible, Sendable {
    /// Where it stands, e.g. `user.tags[2]`; empty for the value itself.
    public let path: String
    /// What it is, e.g. `Date` or `a number that is not finite`.
    public let kind: String

    public var description: String {
      "JSON has no way to write \(kind)" + (path.isEmpty ? "" : ", which is at \(path)")
    }
  }

  /// The value as JSON: strings, Booleans, numbers, optionals, arrays, and dictionaries with string keys, of one another.
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
    case let bool as Bool: self = .bool(bool)
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
    default: throw UnrepresentableValue(path: path, kind: "a \(type(of: value))")
    }
  }

  /// Itself, unless it is a number that JSON has not (RFC 8259 6), or has one in it.
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
  /// The same as `String`, `Bool`, `Int`, `Double`, `[any Sendable]` and `[String: any Sendable]`; `null` stays `JSONValue.null`.
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
