internal import Glibc

/// Functions of real numbers that the standard library leaves to the system.
package enum ElementaryFunctions {
  package static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
  /// The natural logarithm.
  package static func logarithm(_ value: Double) -> Double { log(value) }
  package static func exponential(_ value: Double) -> Double { exp(value) }
  package static func logarithmOfGamma(_ value: Double) -> Double {
    // `lgamma` also writes a global variable.
    var sign: Int32 = 0
    return unsafe lgamma_r(value, &sign)
  }
  /// One less the error function.
  package static func complementaryError(_ value: Double) -> Double { erfc(value) }
  package static func cosine(_ angle: Double) -> Double { cos(angle) }
}
