import Testing

@testable import TapelineHAR

struct JSONWriterNumbersTests {
  private func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.text
  }

  @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345, -1, -10, Int64.max, Int64.min])
  func integers(value: Int64) {
    #expect(text { $0.append(integer: value) } == String(value))
  }

  @Test(arguments: [0, 9, 10, 999_999_999_999, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, UInt64.max])
  func unsignedIntegers(value: UInt64) {
    #expect(text { $0.append(integer: value) } == String(value))
  }

  @Test func everyCountOfDigits() {
    var value: UInt64 = 1
    for _ in 0..<19 {
      value *= 10
      for number in [value - 1, value, value + 1] { #expect(text { $0.append(integer: number) } == String(number)) }
    }
  }

  @Test(arguments: [
    (0, "0.000"), (1, "0.001"), (999, "0.999"), (1_000, "1.000"), (1_234_567, "1234.567"), (-1, "-0.001"), (-1_500, "-1.500"),
  ])
  func milliseconds(value: Int64, expected: String) {
    #expect(text { $0.append(thousandths: value) } == expected)
  }

  @Test func paddedNumbers() {
    #expect(text { $0.append(digits: 7, count: 6) } == "000007")
    #expect(text { $0.append(digits: 2_026, count: 4) } == "2026")
  }

  @Test(arguments: [
    (0, "0"), (-1, "-1"), (12.5, "12.5"), (1e300, "1e+300"), (0.001, "0.001"), (.infinity, "0"), (.nan, "0"),
    (9_007_199_254_740_992, "9007199254740992.0"),
  ])
  func numbers(value: Double, expected: String) {
    #expect(text { $0.append(number: value) } == expected)
  }
}
