import TapelineHAR
import TapelineInspect
import Testing

@testable import TapelineLive

/// A reading of one host's traffic, `seconds` after the first.
private func reading(
  seconds: Double, exchanges: Int, failed: Int = 0, latency: [Int: Int] = [:], others: [RecordingTraffic.Host] = []
) -> RecordingTraffic {
  let counts = latency.sorted { $0.key < $1.key }.map { RecordingTraffic.LatencyCount(microseconds: $0.key, count: $0.value) }
  let host = RecordingTraffic.Host(
    name: "a.example", exchanges: exchanges, failed: failed, bytesToClient: exchanges * 1_000, latency: counts)
  var all = host
  all.name = ""
  return RecordingTraffic(
    nanoseconds: Int64(seconds * 1e9), inFlight: 1, openTunnels: 2, clients: 3, all: all, hosts: [host] + others, failures: [])
}

@Suite struct TrafficIntervalTests {
  @Test func ratesAndPercentilesAreThoseOfTheTimeBetween() throws {
    let interval = TrafficInterval(
      from: reading(seconds: 10, exchanges: 100, failed: 1, latency: [1_000: 90, 500_000: 10]),
      to: reading(seconds: 12, exchanges: 120, failed: 3, latency: [1_000: 90, 2_000: 19, 3_000: 1, 500_000: 10]))
    #expect(interval.all.perSecond == 10)
    #expect(interval.all.failed == 2)
    #expect(interval.all.bytesToClientPerSecond == 10_000)
    #expect(interval.all.p50 == 2)
    #expect(interval.all.p95 == 2)
    #expect(interval.all.maximum == 3, "what was slow before is not slow now")
    #expect(interval.hosts.first?.exchangesInAll == 120)
  }

  @Test func nothingHasNoPercentiles() {
    let interval = TrafficInterval(
      from: reading(seconds: 0, exchanges: 5, latency: [10: 5]), to: reading(seconds: 1, exchanges: 5, latency: [10: 5]))
    #expect(interval.all.perSecond == 0)
    #expect(interval.all.p50 == nil)
  }

  @Test func hostsThatAreNewBeginAtNothing() {
    let new = RecordingTraffic.Host(name: "new.example", exchanges: 50)
    let interval = TrafficInterval(
      from: reading(seconds: 0, exchanges: 5), to: reading(seconds: 1, exchanges: 6, others: [new]))
    #expect(interval.hosts.map(\.name) == ["new.example", "a.example"], "the busiest comes first")
    #expect(interval.hosts[0].perSecond == 50)
  }

  @Test func aWindowSlides() throws {
    var window = TrafficWindow(length: .seconds(2))
    let first = window.add(reading(seconds: 0, exchanges: 0))
    #expect(first == nil)
    let interval = window.add(reading(seconds: 1, exchanges: 10))
    let second = try #require(interval)
    #expect(second.seconds == 1)
    _ = window.add(reading(seconds: 2, exchanges: 10))
    _ = window.add(reading(seconds: 3, exchanges: 10))
    let last = window.add(reading(seconds: 4, exchanges: 10))
    let later = try #require(last)
    #expect(later.seconds == 2)
    #expect(later.all.perSecond == 0)
  }
}

@Suite struct TrafficTextTests {
  private let interval = TrafficInterval(
    from: reading(seconds: 0, exchanges: 0),
    to: {
      var last = reading(seconds: 1, exchanges: 1_234, failed: 2, latency: [1_500: 1_234])
      last.failures = [
        RecordingTraffic.Failure(startedAt: 1, method: "GET", host: "a\u{1B}[2J.example", kind: "refused", phase: "connect")
      ]
      return last
    }())

  @Test(arguments: [40, 60, 80, 160])
  func linesAreNoWiderThanTheTerminal(width: Int) {
    let text = TrafficText(width: width, height: 24, palette: Palette(isColored: false))
    let lines = text.screen(interval, title: String(repeating: "title ", count: 60))
    #expect(lines.allSatisfy { $0.cellCount <= width })
    #expect(lines.contains { $0.hasPrefix("a.example") && $0.contains("1234") })
  }

  @Test func nothingInItDrivesTheTerminal() {
    let text = TrafficText(width: 100, height: 24, palette: Palette(isColored: false))
    #expect(!text.screen(interval, title: "a\u{7}").joined().contains { $0 == "\u{1B}" || $0 == "\u{7}" })
    #expect(!text.line(interval).contains("\u{1B}"))
  }

  @Test func whatDoesNotFitIsCounted() {
    let hosts = (0..<50).map { RecordingTraffic.Host(name: "h\($0).example", exchanges: 1) }
    let many = TrafficInterval(from: reading(seconds: 0, exchanges: 0), to: reading(seconds: 1, exchanges: 1, others: hosts))
    let lines = TrafficText(width: 100, height: 20, palette: Palette(isColored: false)).screen(many, title: "t")
    #expect(lines.count < 20)
    #expect(lines.last?.hasPrefix("and ") == true)
  }
}

@Suite struct RecordingTrafficTests {
  @Test func aReadingSurvivesTheSocket() throws {
    var traffic = reading(seconds: 1, exchanges: 7, failed: 1, latency: [1_000: 3, 2_000: 4])
    traffic.failures = [
      RecordingTraffic.Failure(startedAt: 5, method: "GET", host: "h", kind: "refused", phase: "connect"),
      RecordingTraffic.Failure(startedAt: nil, method: nil, host: nil, kind: "timed-out", phase: "request"),
    ]
    #expect(try RecordingTraffic(members: traffic.members) == traffic)
  }

  @Test func whatIsMissingIsNamed() throws {
    var members = reading(seconds: 1, exchanges: 7).members
    members["hosts"] = [["name": "x"]]
    #expect(throws: ControlMessageError.missing(member: "hosts[0].exchanges")) { try RecordingTraffic(members: members) }
  }

  @Test func theRequestIsOne() throws {
    #expect(try ControlRequest(line: ControlRequest.traffic.line) == .traffic)
  }
}
