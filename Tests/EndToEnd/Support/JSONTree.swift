import FoundationEssentials

/// A JSON value read by Foundation's parser: on purpose not by the project's own reader, whose mistakes it would share.
enum JSONTree: Hashable, Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode([JSONTree].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONTree].self))
    }
  }

  init(parsing bytes: [UInt8]) throws {
    self = try JSONDecoder().decode(JSONTree.self, from: Data(bytes))
  }

  subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  var string: String? {
    guard case .string(let value) = self else { return nil }
    return value
  }

  var number: Double? {
    guard case .number(let value) = self else { return nil }
    return value
  }

  var integer: Int? {
    number.flatMap { Int(exactly: $0) }
  }

  var bool: Bool? {
    guard case .bool(let value) = self else { return nil }
    return value
  }

  /// Empty unless this is an array.
  var elements: [JSONTree] {
    guard case .array(let values) = self else { return [] }
    return values
  }

  var containsNull: Bool {
    switch self {
    case .null: true
    case .bool, .number, .string: false
    case .array(let values): values.contains { $0.containsNull }
    case .object(let members): members.values.contains { $0.containsNull }
    }
  }
}
