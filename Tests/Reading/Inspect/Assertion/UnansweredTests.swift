import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Assertion: exchanges without an answer")
struct UnansweredTests {
  private static func answered(_ milliseconds: Double) -> HAREntry {
    var entry = HAREntry.ordinary()
    (entry.time, entry.timings.wait) = (milliseconds, milliseconds)
    return entry
  }

  private static func refused(after milliseconds: Double = 0.2) -> HAREntry {
    var entry = HAREntry.refused()
    entry.time = milliseconds
    return entry
  }

  private static func result(_ rule: String, of entries: [HAREntry]) throws -> AssertionResult {
    let assertion = try Assertion(rule)
    var check = AssertionCheck(assertion, baseline: AssertionBaseline(for: assertion), naming: 2)
    for (index, entry) in entries.enumerated() { check.add(entry, number: index + 1) }
    return check.result
  }

  private static func run(refused count: Int, of all: Int, answeredIn milliseconds: Double) -> [HAREntry] {
    (1...all).map { $0 <= count ? refused() : answered(milliseconds) }
  }

  @Test("Six refused of ten do not make a median short: neither if the others are slow, nor if they are fast")
  func median() throws {
    let slow = try Self.result("p50(total) < 50ms", of: Self.run(refused: 6, of: 10, answeredIn: 200))
    #expect(slow.outcome == .failed)
    #expect(slow.message == "measured 200ms over 4 exchanges, without 6 that failed: 150ms (300 %) too much")
    let fast = try Self.result("p50(total) < 50ms", of: Self.run(refused: 6, of: 10, answeredIn: 10))
    #expect(fast.outcome == .failed)
    #expect(
      fast.message
        == "measured 10ms over 4 exchanges, without 6 that failed, but 6 of 10 failed: fewer than 50 % were answered")
    #expect(fast.offenders.map(\.number) == [1, 2] && fast.offenderCount == 6)
  }

  @Test("A few failures leave a percentile of the answers")
  func few() throws {
    let result = try Self.result("p95(total) < 50ms", of: Self.run(refused: 5, of: 100, answeredIn: 10))
    #expect(result.outcome == .passed && result.message == "measured 10ms over 95 exchanges, without 5 that failed")
    #expect(try Self.result("p96(total) < 50ms", of: Self.run(refused: 5, of: 100, answeredIn: 10)).outcome == .failed)
  }

  @Test("Where all failed, no answer came in time")
  func all() throws {
    let result = try Self.result("p95(wait) < 50ms", of: Self.run(refused: 3, of: 3, answeredIn: 1))
    #expect(result.outcome == .failed && result.message == "all 3 exchanges failed")
    #expect(try Self.result("min(total) > 50ms", of: [Self.refused()]).message.hasPrefix("no exchange to measure"))
  }

  @Test("A failure that lasted longer than the longest may breaks the rule; a short one does not")
  func longest() throws {
    let short = try Self.result("max(total) < 50ms", of: [Self.answered(10), Self.refused()])
    #expect(short.outcome == .passed)
    let long = try Self.result("max(total) < 50ms", of: [Self.answered(10), Self.refused(after: 30_000)])
    #expect(long.outcome == .failed && long.offenders.map(\.number) == [2])
    #expect(long.message == "measured 10ms over 1 exchange, without 1 that failed, but an exchange failed after 30s")
  }

  @Test("Sizes are of all exchanges")
  func sizes() throws {
    #expect(try Self.result("count() == 2", of: [Self.answered(1), Self.refused()]).outcome == .passed)
    #expect(try Self.result("min(req.size) == 0", of: [Self.answered(1), Self.refused()]).population == 2)
  }
}
