import TapelineBase
import TapelineBase
import Testing

@Suite("Internet dates")
struct InternetDateTests {
  @Test(
    "RFC 3339 is exact, with as many digits as there are",
    arguments: [
      ("2026-01-02T03:04:05Z", 0, "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02T03:04:05.678Z", 3, "2026-01-02T03:04:05.678000Z"),
      ("2026-01-02T03:04:05.678901+05:30", 6, "2026-01-02T03:04:05.678901+05:30"),
      ("2026-01-02T03:04:05.123456789-08:00", 9, "2026-01-02T03:04:05.123456-08:00"),
      ("2024-02-29T23:59:59.1234567890123Z", 13, "2024-02-29T23:59:59.123456Z"),
    ])
  func exact(text: String, digits: Int, expected: String) {
    guard case .exact(let date, let fractionDigits) = InternetDate.read(text) else {
      Issue.record("not exact")
      return
    }
    #expect(fractionDigits == digits)
    #expect(date.text == expected)
  }

  @Test(
    "Other forms of ISO 8601 are understood",
    arguments: [
      ("2026-01-02 03:04:05", "2026-01-02T03:04:05.000000Z"), ("2026-01-02T03:04:05", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02T03:04:05+0100", "2026-01-02T03:04:05.000000+01:00"), ("20260102T030405Z", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02T03:04Z", "2026-01-02T03:04:00.000000Z"), ("2026-01-02", "2026-01-02T00:00:00.000000Z"),
      ("2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.500000Z"), ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000000Z"),
      ("2026-01-02 03:04:05.678 +0200", "2026-01-02T03:04:05.678000+02:00"),
      ("2026-01-02T03:04:05+01", "2026-01-02T03:04:05.000000+01:00"),
      ("2026-01-02T03:04:05.5+00:00Z", "2026-01-02T03:04:05.500000Z"),
    ])
  func loose(text: String, expected: String) {
    guard case .loose(let date) = InternetDate.read(text) else {
      Issue.record("not understood, or taken for exact")
      return
    }
    #expect(date.text == expected)
    #expect(date.isValid)
  }

  @Test(
    "What has another form, or is not in the calendar",
    arguments: [
      "", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z", "2026-01-02T03:04:60Z",
      "2026-01-02T03:04:05Zx", "2026-01-02T03:04:05+25:00", "2026-01-02T03:04:05+01:00Z", "2016-12-30T23:59:60Z",
      "2016-12-31T22:59:60Z", "2016-12-31T23:59:61Z", "Fri, 02 Jan 2026 03:04:05 GMT", "1767323045",
    ])
  func none(text: String) {
    #expect(InternetDate.read(text) == nil)
  }

  @Test(
    "A leap second is the first second of the next month (RFC 3339 5.7)",
    arguments: ["2016-12-31T23:59:60Z", "2015-06-30T16:59:60-07:00", "2017-01-01T05:29:60+05:30"])
  func leapSecond(text: String) throws {
    guard case .exact(let date, _) = InternetDate.read(text) else {
      Issue.record("not exact")
      return
    }
    #expect([1_483_228_800, 1_435_708_800].contains(date.unixNanoseconds / 1_000_000_000))
    #expect(InternetDate.read(date.text) == .exact(date, fractionDigits: 6))
  }

  @Test("Nanoseconds since 1970 go there and back")
  func unix() throws {
    for seconds in stride(from: 0, to: 253_402_300_800, by: 86_400 * 97 + 12_345) {
      let date = try #require(InternetDate(unixSeconds: seconds, nanosecond: 7))
      #expect(date.isValid)
      if seconds < 9_000_000_000 {
        #expect(date.unixNanoseconds == seconds * 1_000_000_000 + 7)
        #expect(InternetDate(unixNanoseconds: date.unixNanoseconds) == date)
      }
    }
    #expect(InternetDate(unixSeconds: -1, nanosecond: 0) == nil)
  }

  @Test("A zone moves what the clock shows, and not the instant")
  func zones() throws {
    let date = try #require(InternetDate(unixNanoseconds: 1_767_319_445_500_000_000, minutesEast: 60))
    #expect(date.text == "2026-01-02T03:04:05.500000+01:00")
    #expect(date.unixNanoseconds == 1_767_319_445_500_000_000)
  }
}
