import TapelineCore
import TapelineHAR
import Testing

@testable import TapelineRecorder

struct TimelineTextTests {
  private func text(_ timeline: Timeline) throws -> String? {
    var writer = JSONWriter()
    writer.append(json: #"{"comment":"#)
    TimelineText.append(timeline, to: &writer)
    writer.append(byte: UInt8(ascii: "}"))
    return try HAREntry(json: writer.bytes).comment
  }

  @Test func isTheDebugDescription() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let start = Double.random(in: 0...1e9, using: &random)
      let times = (0..<3).map { _ in start + Double.random(in: -1e-3...10, using: &random) }
      let timeline = Timeline(
        requestStartTime: start, initialResponseTime: times[0], requestCompletedTime: times[1],
        serializationCompletedTime: times[2])
      #expect(try text(timeline) == timeline.debugDescription)
    }
  }

  @Test(arguments: [
    0, -0.0, 0.0005, 0.0015, 0.0025, -0.0004, 1e-9, 1e-300, Double.leastNonzeroMagnitude, 0x1p39, 0x1p41, 1e300, 0.125,
  ])
  func ofAnyTime(time: Double) throws {
    let timeline = Timeline(
      requestStartTime: 0, initialResponseTime: time, requestCompletedTime: -time, serializationCompletedTime: time)
    #expect(try text(timeline) == timeline.debugDescription)
  }
}
