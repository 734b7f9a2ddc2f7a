import Testing

@testable import TapelineCore

@Suite struct TimelineTests {
  private let timeline = Timeline(
    requestStartTime: 1.0, initialResponseTime: 1.25, requestCompletedTime: 2.0, serializationCompletedTime: 2.75)

  @Test func durationsAreDifferences() {
    #expect(timeline.latency == 0.25)
    #expect(timeline.requestDuration == 1.0)
    #expect(timeline.serializationDuration == 0.75)
    #expect(timeline.totalDuration == 1.75)
  }

  @Test func descriptionHasTheFourDurations() {
    #expect(
      "\(timeline)"
        == #"Timeline: { "Latency": 0.250 secs, "Request Duration": 1.000 secs, "Serialization Duration": 0.750 secs, "Total Duration": 1.750 secs }"#
    )
  }

  @Test func debugDescriptionHasTheTimesAndTheDurations() {
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

  @Test func defaultsAreZero() {
    #expect(
      "\(Timeline())"
        == #"Timeline: { "Latency": 0.000 secs, "Request Duration": 0.000 secs, "Serialization Duration": 0.000 secs, "Total Duration": 0.000 secs }"#
    )
  }
}
