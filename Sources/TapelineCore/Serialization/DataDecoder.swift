public import FoundationEssentials

/// Makes a value of any `Decodable` type from data.
public protocol DataDecoder: Sendable {
  /// The value that `data` decodes to.
  func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}
