import Testing

@testable import TapelineLive
@testable import TapelineProxy

@Suite("The last line about servers that failed")
struct FailureTextTests {
  private func line(answered: UInt64, passed: UInt64) -> String? {
    var activity = ProxyActivity()
    activity.answeredFailures = answered
    activity.passedFailures = passed
    return FailureText.line(for: activity)
  }

  @Test("Says how many tapeline answered itself, and how many clients heard of by the end of their connection")
  func counts() {
    #expect(line(answered: 0, passed: 0) == nil)
    #expect(line(answered: 1, passed: 0) == "failures of servers: 1 answered with a page")
    #expect(line(answered: 0, passed: 2) == "failures of servers: 2 passed on as ended connections")
    #expect(
      line(answered: 1, passed: 2) == "failures of servers: 1 answered with a page, 2 passed on as ended connections")
  }
}
