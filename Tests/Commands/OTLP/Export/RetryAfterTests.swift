import Testing

@testable import TapelineOTLP

struct RetryAfterTests {
  /// 2026-01-02T03:04:05Z.
  private static let now: Int64 = 1_767_323_045

  @Test(
    "RFC 9110 10.2.3: Retry-After is seconds or a date",
    arguments: [
      ("0", 0), ("120", 120), ("Fri, 02 Jan 2026 03:04:15 GMT", 10), ("Fri, 02 Jan 2026 03:04:00 GMT", 0),
    ])
  func reads(value: String, seconds: Int) {
    #expect(RetryAfter.pause(value, unixSeconds: Self.now) == .seconds(seconds))
  }

  @Test("RFC 9110 10.2.3: Anything else says nothing", arguments: ["", "-1", "soon", "1.5", "99999999999999999999"])
  func ignores(value: String) {
    #expect(RetryAfter.pause(value, unixSeconds: Self.now) == nil)
  }
}
