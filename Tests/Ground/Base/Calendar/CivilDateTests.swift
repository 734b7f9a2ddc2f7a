import TapelineBase
import TapelineBase
import Testing

@Suite("Civil dates")
struct CivilDateTests {
  @Test(
    "Leap days and the turns of years",
    arguments: [
      (951_782_400, 2000, 2, 29), (951_868_800, 2000, 3, 1), (4_107_542_400, 2100, 3, 1), (4_107_456_000, 2100, 2, 28),
      (1_735_603_200, 2024, 12, 31), (1_735_689_600, 2025, 1, 1), (-2_203_891_200, 1900, 3, 1), (-1, 1969, 12, 31),
      (-62_162_035_200, 0, 3, 1), (-62_167_219_200, 0, 1, 1),
    ] as [(Int64, Int, Int, Int)])
  func leapDaysAndTurns(seconds: Int64, year: Int, month: Int, day: Int) {
    let date = CivilDate(unixSeconds: seconds)
    #expect((date.year, date.month, date.day) == (year, month, day))
    #expect(date.unixSeconds == seconds)
  }

  @Test("Every day of the years 1800 to 2200 goes there and back, and follows the day before")
  func everyDay() {
    let first = CivilDate(year: 1800, month: 1, day: 1).unixSeconds
    var before = CivilDate(unixSeconds: first - CivilDate.secondsPerDay)
    for seconds in stride(from: first, through: CivilDate(year: 2200, month: 12, day: 31).unixSeconds, by: 86_400) {
      let date = CivilDate(unixSeconds: seconds + 86_399)
      let isNext =
        date.day == before.day + 1 && date.month == before.month && date.year == before.year
        || date.day == 1 && date.month == before.month + 1 && date.year == before.year && before.day >= 28
        || date.day == 1 && date.month == 1 && date.year == before.year + 1 && before.month == 12 && before.day == 31
      guard isNext, date.isValid, date.unixSeconds == seconds + 86_399, (date.hour, date.minute, date.second) == (23, 59, 59)
      else {
        Issue.record("\(date) after \(before)")
        return
      }
      before = date
    }
  }

  @Test(
    "An IMF-fixdate is written (RFC 9110 5.6.7)",
    arguments: [
      (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
      (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
      (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ] as [(Int64, String)])
  func fixedForm(seconds: Int64, text: String) {
    #expect(CivilDate(unixSeconds: seconds).imfFixdate == text)
    #expect(CivilDate(imfFixdate: text)?.unixSeconds == seconds)
    #expect(CivilDate(lenientHTTPDate: Array(text.utf8).span)?.unixSeconds == seconds)
  }

  @Test("A leap second and the year 0 are read (RFC 9110 5.6.7)")
  func readingFixedForm() {
    #expect(CivilDate(imfFixdate: "Thu, 29 Feb 2024 23:59:60 GMT")?.unixSeconds == 1_709_251_200)
    #expect(CivilDate(imfFixdate: "Mon, 01 Mar 0000 00:00:00 GMT")?.unixSeconds == -62_162_035_200)
  }

  @Test(
    "Only IMF-fixdate is a proof (RFC 9110 5.6.7)",
    arguments: [
      "", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
      "Sun, 06 Nov 1994 08:49 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 +8:49:37 GMT",
      "Sat, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 08:49:37 GMT", "Xxx, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 1994 08:49:37 GMT ",
    ])
  func noProof(text: String) {
    #expect(CivilDate(imfFixdate: text) == nil)
  }

  @Test(
    "Dates in all forms that servers write (RFC 6265 5.1.1)",
    arguments: [
      "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "6 november 94 8:49:37",
      "08:49:37 1994 06 Nov", "06x NOVx 1994x 08:49:37x", "Sun, 06 Nov 1994 08:49:37:11",
    ])
  func lenientForms(text: String) {
    #expect(
      CivilDate(lenientHTTPDate: Array(text.utf8).span)
        == CivilDate(year: 1994, month: 11, day: 6, hour: 8, minute: 49, second: 37))
  }

  @Test(
    "What is no date (RFC 6265 5.1.1)",
    arguments: [
      "", "0", "soon", "Session", "Sun, 06 Nov 1994", "06 Nov 08:49:37", "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37",
      "29 Feb 2023 08:49:37", "06 Nov 1600 08:49:37", "06 Nov 1994 24:00:00", "06 Foo 1994 08:49:37", "06 Nov 1994 08:60:37",
      "06 Nov 1994 08:49:60",
    ])
  func noDate(text: String) {
    #expect(CivilDate(lenientHTTPDate: Array(text.utf8).span) == nil)
  }

  @Test("Years of two digits are from 1970 to 2069 (RFC 6265 5.1.1)")
  func yearsOfTwoDigits() {
    #expect(CivilDate(lenientHTTPDate: Array("1 Jan 69 00:00:00".utf8).span)?.year == 2069)
    #expect(CivilDate(lenientHTTPDate: Array("1 Jan 70 00:00:00".utf8).span)?.year == 1970)
  }

  @Test(
    "A GeneralizedTime has no separators (RFC 5280 4.1.2.5.2)",
    arguments: [
      (0, "19700101000000Z"), (951_827_696, "20000229123456Z"), (1_795_266_801, "20261121131321Z"),
      (2_524_607_999, "20491231235959Z"), (2_524_608_000, "20500101000000Z"), (4_107_542_399, "21000228235959Z"),
      (4_107_542_400, "21000301000000Z"),
    ] as [(Int64, String)])
  func generalizedTime(seconds: Int64, text: String) {
    #expect(CivilDate(unixSeconds: seconds).generalizedTime == text)
  }

  @Test("A day and a time (RFC 3339 5.6)")
  func texts() {
    #expect(CivilDate(unixSeconds: 951_827_696).dayText == "2000-02-29")
    #expect(CivilDate(unixSeconds: 784_111_777).text == "1994-11-06T08:49:37")
  }
}
