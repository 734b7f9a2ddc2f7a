import Glibc
import Testing

@testable import TapelineCore

@Suite struct SecondsTextTests {
  @Test(
    "A number has three decimals, a point, and the sign of a tiny negative",
    arguments: [
      (0.0925, "0.092"), (-0.0004, "-0.000"), (0.0, "0.000"), (-0.0, "-0.000"), (0.0005, "0.001"), (0.5, "0.500"),
      (1.0625, "1.062"),
      (1.1875, "1.188"), (0.9995, "1.000"), (513_055_266.217, "513055266.217"), (9_007_199_254_740_992, "9007199254740992.000"),
      (Double.leastNonzeroMagnitude, "0.000"), (123_456_789_012_345, "123456789012345.000"),
    ])
  func knownValues(value: Double, text: String) {
    #expect(secondsText(value) == text)
  }

  /// The C library in the C locale is the reference, over the whole range of times and durations.
  @Test("Numbers are printed as in C")
  func agreesWithTheCLibrary() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let exponent = Double.random(in: -12...12, using: &generator)
      let value = pow(10, exponent) * Double.random(in: -1...1, using: &generator)
      #expect(secondsText(value) == printed(value), "\(value)")
    }
    for step in -5_000...5_000 {
      let tie = Double(step) / 2_000
      #expect(secondsText(tie) == printed(tie), "\(tie)")
    }
  }

  private func printed(_ value: Double) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let length = unsafe withVaList([value]) { unsafe vsnprintf(&buffer, 64, "%.3f", $0) }
    return String(decoding: buffer.prefix(Int(length)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
