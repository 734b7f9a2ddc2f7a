import Testing

@testable import tapeline

@Suite("Size argument")
struct SizeArgumentTests {
  @Test(
    "Suffixes in any case, binary and decimal",
    arguments: [
      ("0", 0), ("4096", 4_096), ("7b", 7), ("64KiB", 65_536), ("64k", 65_536), ("500kB", 500_000), ("1MiB", 1_048_576),
      ("1m", 1_048_576), ("2mb", 2_000_000), ("1GiB", 1 << 30), ("1G", 1 << 30),
    ])
  func reading(text: String, bytes: Int) {
    #expect(SizeArgument(argument: text)?.bytes == bytes)
  }

  @Test(
    "Anything else is refused, an overflow too",
    arguments: ["", "MiB", "-1", "+1", "1.5MiB", "1 MiB", "1x", "0x10", "٣", "9223372036854775808", "99999999999GiB"])
  func refusal(text: String) {
    #expect(SizeArgument(argument: text) == nil)
  }

  @Test(
    "It prints in the largest unit that divides it",
    arguments: [(1 << 20, "1MiB"), (65_536, "64KiB"), (1_000, "1000"), (0, "0"), (500_000_000, "500MB")])
  func printing(bytes: Int, text: String) {
    #expect(SizeArgument(bytes: bytes).description == text)
    #expect(SizeArgument(argument: text)?.bytes == bytes)
  }
}
