import Testing

@testable import TapelineInspect

/// The local zone is the end-to-end tests' matter: they set it.
@Suite("Wall clock")
struct WallClockTests {
  @Test(
    "A date of a log in UTC, whatever zone the log has it in",
    arguments: [
      ("2026-01-02T03:04:05.678901Z", "2026-01-02 03:04:05.678901 UTC"),
      ("2026-01-02T00:04:05.5+01:00", "2026-01-01 23:04:05.500000 UTC"),
      ("2026-12-31T23:59:59-00:30", "2027-01-01 00:29:59.000000 UTC"),
    ])
  func utc(date: String, text: String) {
    #expect(WallClock.utc.time(of: date)?.text == text)
  }

  @Test(
    "Of no date, and of one that is none of our days, there is nothing to show",
    arguments: ["", "soon", "9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00Z"])
  func none(date: String) {
    #expect(WallClock.utc.time(of: date) == nil)
  }
}
