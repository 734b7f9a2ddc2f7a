import TapelineHAR
import Testing

@testable import TapelineRecorder

struct DateWriterTests {
  private func text(_ times: [Int64]) -> [String] {
    var dates = DateWriter()
    return times.map { time in
      var writer = JSONWriter()
      dates.append(unixNanoseconds: time, to: &writer)
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }

  @Test func sixDigitsCutOff() {
    #expect(
      text([0, 999, 1_000, 1_772_600_767_123_456_789, 1_772_600_768_000_000_000, -1]) == [
        "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000001Z",
        "2026-03-04T05:06:07.123456Z",
        "2026-03-04T05:06:08.000000Z", "1969-12-31T23:59:59.999999Z",
      ])
  }
}

struct CalendarDateTests {
  @Test(arguments: [
    (951_782_400, 2000, 2, 29), (951_868_800, 2000, 3, 1), (4_107_542_400, 2100, 3, 1), (4_107_456_000, 2100, 2, 28),
    (1_735_603_200, 2024, 12, 31), (1_735_689_600, 2025, 1, 1), (-2_203_891_200, 1900, 3, 1),
  ])
  func leapDaysAndTurns(seconds: Int64, year: Int64, month: Int64, day: Int64) {
    #expect(
      CalendarDate(unixSeconds: seconds) == CalendarDate(year: year, month: month, day: day, hour: 0, minute: 0, second: 0))
  }

  @Test func timesOfDay() {
    let date = CalendarDate(unixSeconds: 86_399)
    #expect((date.hour, date.minute, date.second) == (23, 59, 59))
  }
}
