import TapelineTransport
import Testing

@testable import TapelineCore

@Suite struct BacklogTests {
  @Test("Reading pauses at the limit and goes on at half of it")
  func pausing() {
    let backlog = Backlog(limit: 10_000)
    #expect(backlog.add(9_000) == .more)
    #expect(backlog.add(1_000) == .pause)
    #expect(backlog.isPaused)
    #expect(!backlog.remove(1_000))
    #expect(backlog.add(500) == .more)
    #expect(!backlog.remove(500))
    #expect(backlog.remove(9_000))
    #expect(!backlog.isPaused)
    #expect(backlog.outstanding == 0)
    #expect(backlog.highest == 10_000)
  }

  @Test("Bytes read before the pause still count, and reading goes on once")
  func late() {
    let backlog = Backlog(limit: 10_000)
    #expect(backlog.add(15_000) == .pause)
    #expect(backlog.add(5_000) == .pause)
    #expect(backlog.highest == 20_000)
    #expect(backlog.remove(15_000))
    #expect(!backlog.remove(5_000))
  }

  @Test("Single bytes count for what they cost")
  func tinyPieces() {
    let backlog = Backlog(limit: 10 * Backlog.smallestCharge)
    for _ in 0..<9 { #expect(backlog.add(1) == .more) }
    #expect(backlog.add(1) == .pause)
    for _ in 0..<4 { #expect(!backlog.remove(1)) }
    #expect(backlog.remove(1))
  }

  @Test("The default limit is 256 KiB")
  func defaultLimit() {
    #expect(Backlog.defaultLimit == 262_144)
    #expect(Backlog().limit == 262_144)
  }
}
