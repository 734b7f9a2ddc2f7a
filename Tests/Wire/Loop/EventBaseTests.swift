import Testing

@testable import TapelineLoop

struct EventBaseTests {
  @Test func whatLibeventCannotRecoverFromIsACrashThatSaysSo() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      libeventFailed(1)
    }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("libevent met an internal error, code 1"))
  }
}
