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
