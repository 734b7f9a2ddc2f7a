import FoundationEssentials
import TapelineTime
import Testing

@testable import TapelineCore

@Suite struct TimelineTests {
  private let timeline = Timeline(
    requestStartTime: 1.0, initialResponseTime: 1.25, requestCompletedTime: 2.0, serializationCompletedTime: 2.75)

  @Test("The durations are differences, computed once")
  func durationsAreDifferences() {
    #expect(timeline.latency == 0.25)
    #expect(timeline.requestDuration == 1.0)
    #expect(timeline.serializationDuration == 0.75)
    #expect(timeline.totalDuration == 1.75)
  }

  @Test("The description has the four durations, in order")
  func descriptionHasTheFourDurations() {
    #expect(
      "\(timeline)"
        == #"Timeline: { "Latency": 0.250 secs, "Request Duration": 1.000 secs, "Serialization Duration": 0.750 secs, "Total Duration": 1.750 secs }"#
    )
  }

  @Test("The debug description has the four times, without unit, then the durations")
  func debugDescriptionHasTheTimesAndTheDurations() {
    let sample = Timeline(
      requestStartTime: 513_055_266.217, initialResponseTime: 513_055_266.309, requestCompletedTime: 513_055_266.309,
      serializationCompletedTime: 513_055_266.767)
    #expect(
      String(reflecting: sample)
        == #"Timeline: { "Request Start Time": 513055266.217, "Initial Response Time": 513055266.309, "#
        + #""Request Completed Time": 513055266.309, "Serialization Completed Time": 513055266.767, "#
        + #""Latency": 0.092 secs, "Request Duration": 0.092 secs, "Serialization Duration": 0.458 secs, "#
        + #""Total Duration": 0.550 secs }"#)
  }

  @Test("All four times default to zero")
  func defaultsAreZero() {
    #expect(
      "\(Timeline())"
        == #"Timeline: { "Latency": 0.000 secs, "Request Duration": 0.000 secs, "Serialization Duration": 0.000 secs, "Total Duration": 0.000 secs }"#
    )
  }

  @Test("A timeline tells which phase is slow, and each number is rounded by itself")
  func numbersAreRoundedByThemselves() {
    let sample = Timeline(
      requestStartTime: 0.0006, initialResponseTime: 0.3579, requestCompletedTime: 0.4, serializationCompletedTime: 2.4)
    #expect(sample.serializationDuration > sample.requestDuration)
    // 0.358 less 0.001 is 0.357; the latency that is printed is the one that was measured.
    #expect(sample.debugDescription.contains(#""Request Start Time": 0.001, "Initial Response Time": 0.358"#))
    #expect(secondsText(Timeline(requestStartTime: 0.0006, initialResponseTime: 0.3584).latency) == "0.358")
  }

  @Test("The time base is 2001-01-01 00:00 UTC")
  func timeBase() {
    let now = WallClockAnchor.process.absoluteTime(at: .now)
    #expect(abs(now - Date().timeIntervalSinceReferenceDate) < 0.01)
    // 2017-04-05 03:21:06 UTC, in the sample above.
    #expect(Date(timeIntervalSinceReferenceDate: 513_055_266).timeIntervalSince1970 == 1_491_362_466)
  }

  @Test("A timeline is a value that can be sent and compared")
  func value() {
    func requireSendable<Value: Sendable & Hashable>(_ value: Value) -> Value { value }
    #expect(requireSendable(timeline) == timeline)
    #expect(timeline != Timeline())
  }
}
