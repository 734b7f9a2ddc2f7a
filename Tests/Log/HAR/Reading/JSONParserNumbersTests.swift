import Testing

@testable import TapelineHAR

@Suite("Numbers")
struct JSONParserNumbersTests {
  private func double(_ text: String) throws -> Double {
    try Array(text.utf8).span.withParser(range: 0..<text.utf8.count) { (parser) throws(HARReadError) in try parser.readDouble() }
  }

  private func integer(_ text: String) throws -> Int? {
    try Array(text.utf8).span.withParser(range: 0..<text.utf8.count) { (parser) throws(HARReadError) in try parser.readInteger() }
  }

  @Test(
    "A number is the nearest that a Double comes to it",
    arguments: [
      "0", "-0", "1", "-1", "0.1", "12.345", "-0.001", "123456.789012", "9007199254740993", "0.30000000000000004", "1e5",
      "1.5E-7", "1e308",
      "123456789012345678901234567890", "9223372036854775807", "9223372036854775808", "0.0000000000000000001", "789012345.123456",
    ])
  func doubles(text: String) throws {
    let expected = try #require(Double(text))
    let value = try double(text)
    #expect(value == expected && value.sign == expected.sign)
  }

  @Test("Beyond all numbers is the largest there is")
  func overflow() throws {
    #expect(try double("1e400") == .greatestFiniteMagnitude)
    #expect(try double("-5e308") == -.greatestFiniteMagnitude)
  }

  @Test("Whole numbers are integers, however they are written")
  func integers() throws {
    #expect(try integer("0") == 0 && integer("-12") == -12 && integer("9223372036854775807") == Int.max)
    #expect(try integer("12.0") == 12 && integer("1e3") == 1_000)
    #expect(try integer("12.5") == nil && integer("9223372036854775808") == nil && integer("1e400") == nil)
  }

  @Test("Texts that are numbers, and texts that are none")
  func texts() {
    #expect(HARNumber(text: "-1.50e3")?.text == "-1.50e3")
    for text in ["", " 1", "1 ", "+1", "01", "1.", ".5", "0x1", "1e", "-", "NaN", "1,5"] {
      #expect(HARNumber(text: text) == nil, "\(text)")
    }
  }
}
