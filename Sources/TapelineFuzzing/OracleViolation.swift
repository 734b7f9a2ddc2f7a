/// Something that must hold for every input does not hold for this one.
package struct OracleViolation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  static func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(OracleViolation) {
    if !holds { throw OracleViolation(rule()) }
  }

  /// Two readings of the same bytes come to the same.
  static func requireEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ rule: @autoclosure () -> String
  ) throws(OracleViolation) {
    if left != right { throw OracleViolation("\(rule()):\n  \(left)\n  \(right)") }
  }
}
