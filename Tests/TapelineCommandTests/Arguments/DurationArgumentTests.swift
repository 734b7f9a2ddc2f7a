import Testing

@testable import tapeline

@Suite("Duration argument")
struct DurationArgumentTests {
  @Test(
    "Units, and seconds without one",
    arguments: [
      ("10s", 10_000_000_000), ("10", 10_000_000_000), ("500ms", 500_000_000), ("2m", 120_000_000_000), ("1h", 3_600_000_000_000),
      ("0", 0),
    ] as [(String, Int64)])
  func reading(text: String, nanoseconds: Int64) {
    #expect(DurationArgument(argument: text)?.nanoseconds == nanoseconds)
  }

  @Test("Anything else is refused", arguments: ["", "s", "-1s", "1.5s", "1d", "1 s", "9999999999999h"])
  func refusal(text: String) {
    #expect(DurationArgument(argument: text) == nil)
  }

  @Test("It prints as it can be given", arguments: ["10s", "500ms", "1500ms"])
  func printing(text: String) {
    #expect(DurationArgument(argument: text)?.description == text)
  }
}
