import Testing

@testable import tapeline

@Suite("Sync argument")
struct SyncArgumentTests {
  @Test(
    "Never, after each write, or at most so late",
    arguments: [
      ("never", .never), ("Write", .eachWrite), ("5s", .interval(DurationArgument(.seconds(5)))),
      ("200ms", .interval(DurationArgument(.milliseconds(200)))),
    ] as [(String, SyncArgument)])
  func reading(text: String, argument: SyncArgument) {
    #expect(SyncArgument(argument: text) == argument)
    #expect(SyncArgument(argument: argument.description) == argument)
  }

  @Test("Anything else is refused", arguments: ["", "always", "0", "0s", "-1s"])
  func refusal(text: String) {
    #expect(SyncArgument(argument: text) == nil)
  }
}
