package import TapelineHTTP

/// Header or trailer fields in order, with duplicates and spelling as they came.
public struct HTTPHeaders: Sendable, Equatable, CustomStringConvertible {
  package let fields: HeaderFields

  package init(_ fields: HeaderFields) {
    self.fields = fields
  }

  /// The values of every field line called `name` in any case, in order.
  public func values(for name: String) -> [String] {
    fields.values(named: name)
  }

  /// One `Name: value` per line.
  public var description: String {
    fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}
