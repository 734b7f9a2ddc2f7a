import Testing

@testable import TapelineInspect

@Suite("Byte count text")
struct ByteCountTextTests {
  @Test(
    "Five characters say enough",
    arguments: [
      (0, "0"), (999, "999"), (1_000, "1.0K"), (1_024, "1.0K"), (10_188, "9.9K"), (10_240, "10K"), (1_023_000, "999K"),
      (1_048_576, "1.0M"), (1 << 30, "1.0G"), (.max, "8.0E"), (-1, "-"),
    ])
  func compact(count: Int, text: String) {
    #expect(ByteCountText.compact(count) == text)
    #expect(text.count <= 5)
  }

  @Test("An unknown count is a dash")
  func unknown() {
    #expect(ByteCountText.compact(nil) == "-")
  }

  @Test("The long form names the unit", arguments: [(0, "0 B"), (999, "999 B"), (1_536, "1.5 KiB"), (3 << 20, "3.0 MiB")])
  func long(count: Int, text: String) {
    #expect(ByteCountText.long(count) == text)
  }
}
