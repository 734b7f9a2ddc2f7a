import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct HTTPDateTests {
  @Test(arguments: [
    (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
    (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
    (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
  ])
  func knownDates(second: Int64, text: String) {
    #expect(HTTPDate.text(ofUnixSecond: second) == text)
  }

  @Test func theTextFollowsTheClock() {
    var date = HTTPDate()
    let start = MonotonicInstant.now
    let first = date.text(at: start)
    #expect(date.text(at: start) == first)
    #expect(date.text(at: start.advanced(byNanoseconds: 2_000_000_000)) != first)
  }
}
