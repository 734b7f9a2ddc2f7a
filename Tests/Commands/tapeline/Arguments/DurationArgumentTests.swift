import Testing

@testable import tapeline

@Suite("Duration argument")
struct DurationArgumentTests {
  @Test(
    "Units, and seconds without one",
    arguments: [
      ("10s", .seconds(10)), ("10", .seconds(10)), ("500ms", .milliseconds(500)), ("2m", .seconds(120)), ("1h", .seconds(3_600)),
      ("0", .zero),
    ] as [(String, Duration)])
  func reading(text: String, duration: Duration) {
    #expect(DurationArgument(argument: text)?.duration == duration)
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
