import TapelineBase
import TapelineTime
import Testing

@testable import TapelineHAR

@Suite("Dates of logs")
struct LoggedDateTests {
  @Test(
    "Other forms are understood",
    arguments: [
      ("2026-01-02 03:04:05", "2026-01-02T03:04:05.000000Z"), ("2026-01-02T03:04:05", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02T03:04:05+0100", "2026-01-02T03:04:05.000000+01:00"), ("20260102T030405Z", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02T03:04Z", "2026-01-02T03:04:00.000000Z"), ("2026-01-02", "2026-01-02T00:00:00.000000Z"),
      ("2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.500000Z"), ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02 03:04:05.678 +0200", "2026-01-02T03:04:05.678000+02:00"),
      ("2026-01-02T03:04:05+01", "2026-01-02T03:04:05.000000+01:00"),
      ("Fri, 02 Jan 2026 03:04:05 GMT", "2026-01-02T03:04:05.000000Z"),
      ("Fri, 02-Jan-26 03:04:05 GMT", "2026-01-02T03:04:05.000000Z"),
      ("1767323045", "2026-01-02T03:04:05.000000Z"), ("1767323045678", "2026-01-02T03:04:05.678000Z"),
      ("1767323045.5", "2026-01-02T03:04:05.500000Z"), ("0", "1970-01-01T00:00:00.000000Z"),
    ])
  func loose(text: String, expected: String) {
    guard case .loose(let date) = InternetDate.readLogged(text) else {
      Issue.record("not understood, or taken for exact")
      return
    }
    #expect(date.text == expected)
    #expect(date.isValid)
  }

  @Test(
    "What is no date is none",
    arguments: [
      "", "Session", "never", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z",
      "2026-01-02T03:04:60Z", "2026-01-02T03:04:05Zx", "2026-01-02T03:04:05+25:00", "-5", "1e99", "Fri, 32 Jan 2026 03:04:05 GMT",
      "Fri Jan 02 2026 03:04:05 GMT+0100 (CET)",
    ])
  func none(text: String) {
    #expect(InternetDate.readLogged(text) == nil)
  }

  @Test("A date's nanoseconds since 1970 end at what an Int holds")
  func unix() {
    #expect(unixNanoseconds(ofDate: "2026-01-02T03:04:05.5+01:00") == 1_767_319_445_500_000_000)
    #expect(unixNanoseconds(ofDate: "9999-12-31T00:00:00Z") == Int.max)
    #expect(unixNanoseconds(ofDate: "x") == nil)
  }
}
