internal import Glibc

/// Functions of real numbers that the standard library leaves to the system.
package enum ElementaryFunctions {
  package static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
  /// The natural logarithm.
  package static func logarithm(_ value: Double) -> Double { log(value) }
  package static func cosine(_ angle: Double) -> Double { cos(angle) }
}
