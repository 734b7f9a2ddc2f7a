import TapelineTime
import Testing

@testable import TapelineLoop

struct SendingCallTests {
  /// The departure in a call that began at 0, in nanoseconds.
  private func departure(_ nanoseconds: Int64, bytes: Int = 0) -> Int64 {
    let called = MonotonicInstant(nanoseconds: 1_000_000)
    return SendingCall.departure(called: called, nanoseconds: nanoseconds, bytes: bytes).nanoseconds(since: called)
  }

  @Test("A packet leaves in the middle of its call")
  func middle() { #expect([0, 8_000, 50_000].map { departure($0) } == [0, 4_000, 25_000]) }

  @Test("A call that was held up let its packet go as early as the longest that was not")
  func heldUp() { #expect([60_000, 20_000_000].map { departure($0) } == [25_000, 25_000]) }

  @Test("The last of many bytes leaves near the end of the call")
  func long() {
    #expect([200_000, 1_000_000, 9_000_000].map { departure($0, bytes: 1_000_000) } == [175_000, 975_000, 1_025_000])
  }

  @Test("A packet does not leave before its call")
  func negative() { #expect(departure(-500) == 0) }
}

struct SendingPaceTests {
  private var pace = SendingPace()

  @Test("A message takes its share of a call")
  mutating func share() {
    #expect(pace.share(of: 8_000, among: 2) == 4_000)
    #expect(pace.share(of: 30_000, among: 10) == 3_000)
  }

  @Test("A call that was held up says little")
  mutating func heldUp() {
    #expect(pace.share(of: 8_000, among: 2) == 4_000)
    #expect(pace.share(of: 20_000_000, among: 2) == 4_251)
    #expect(pace.share(of: 8_000, among: 2) == 4_000)
  }

  @Test("Where all calls are slow, they are believed in the end")
  mutating func slowMachine() {
    let shares = (0..<100).map { _ in pace.share(of: 200_000, among: 4) }
    #expect(shares[0] < 6_000)
    #expect(shares == shares.sorted())
    #expect(shares[99] == 50_000)
  }

  @Test("A clock that stands still takes nothing")
  mutating func stillClock() {
    #expect(pace.share(of: 0, among: 3) == 0)
    #expect(pace.share(of: -5, among: 3) == 0)
    #expect(pace.share(of: 9_000, among: 3) == 1)
  }
}
