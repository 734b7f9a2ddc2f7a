import Testing

@testable import TapelineRecorder

struct CookieDateTests {
  private let expected = CalendarDate(year: 1994, month: 11, day: 6, hour: 8, minute: 49, second: 37)

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "6 november 94 8:49:37",
    "08:49:37 1994 06 Nov",
  ])
  func everyForm(text: String) {
    #expect(CookieDate.parse(Array(text.utf8).span) == expected)
  }

  @Test(arguments: [
    "", "0", "Session", "Sun, 06 Nov 1994", "06 Nov 08:49:37", "32 Nov 1994 08:49:37", "06 Nov 1600 08:49:37",
    "06 Nov 1994 24:00:00",
    "06 Foo 1994 08:49:37", "06 Nov 1994 08:60:37",
  ])
  func whatIsNoDate(text: String) {
    #expect(CookieDate.parse(Array(text.utf8).span) == nil)
  }

  @Test func yearsOfTwoDigits() {
    #expect(CookieDate.parse(Array("1 Jan 69 00:00:00".utf8).span)?.year == 2069)
    #expect(CookieDate.parse(Array("1 Jan 70 00:00:00".utf8).span)?.year == 1970)
  }
}
