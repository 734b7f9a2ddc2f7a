import TapelineTime
import Testing

@testable import TapelineProxy

@Suite struct HTTPDateTests {
  @Test func theTextFollowsTheClock() {
    var date = HTTPDate()
    let start = MonotonicInstant.now
    let first = date.text(at: start)
    #expect(date.text(at: start) == first)
    #expect(date.text(at: start.advanced(byNanoseconds: 2_000_000_000)) != first)
  }
}
