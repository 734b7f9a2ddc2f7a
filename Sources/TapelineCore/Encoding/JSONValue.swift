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
