/// A rule that must hold for every input does not hold for this one.
package struct OracleViolation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }

  static func require(_ holds: Bool, _ rule: @autoclosure () -> String) throws(OracleViolation) {
    if !holds { throw OracleViolation(rule()) }
  }

  /// Requires that two readings of the same bytes are equal.
  static func requireEqual<Value: Equatable>(
    _ left: Value, _ right: Value, _ rule: @autoclosure () -> String
  ) throws(OracleViolation) {
    if left != right { throw OracleViolation("\(rule()):\n  \(left)\n  \(right)") }
  }
}
