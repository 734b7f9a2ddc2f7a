/// The type of a value of HAR 1.2.
enum HARType: Sendable {
  case string
  case number
  case integer
  case boolean
  case object(HARShape)
  case array(of: HARShape)

  /// The name of the type in a message.
  var name: String {
    switch self {
    case .string: "a string"
    case .number: "a number"
    case .integer: "an integer"
    case .boolean: "true or false"
    case .object: "an object"
    case .array: "an array of objects"
    }
  }
}

extension HARValue {
  /// The name of the value's type in a message.
  var typeName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
