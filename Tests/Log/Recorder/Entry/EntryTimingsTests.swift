import TapelineHAR
import TapelineTime
import Testing

@testable import TapelineRecorder

struct EntryTimingsTests {
  @Test func theTotalIsTheSumOfWhatIsPrinted() {
    // Each phase is 400.4 µs: the exact sum would be 2.402 ms, the printed one is 2.400.
    var marks = TimelineMarks()
    let order: [TimelineMark] = [
      .requestHeadEnd, .dnsStart, .dnsEnd, .connectEnd, .sentLast, .responseFirstByte, .responseLastByte,
    ]
    for (index, mark) in order.enumerated() {
      marks.stamp(mark, at: MonotonicInstant(nanoseconds: Int64(index) * 400_400))
    }
    marks.stamp(.connectStart, at: MonotonicInstant(nanoseconds: 2 * 400_400))
    marks.stamp(.sentFirst, at: MonotonicInstant(nanoseconds: 3 * 400_400))
    let timings = EntryTimings(ExchangePhases(marks))
    #expect(timings.total == 2_400)
    var writer = JSONWriter()
    timings.append(to: &writer)
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #""blocked":0.400,"dns":0.400,"connect":0.400,"send":0.400,"wait":0.400,"receive":0.400,"ssl":-1"#)
  }

  @Test(arguments: [(0, 0), (499, 0), (500, 1), (1_499, 1), (1_500, 2)])
  func roundsToTheNearest(nanoseconds: Int64, microseconds: Int64) {
    #expect(EntryTimings.microseconds(nanoseconds) == microseconds)
  }
}
