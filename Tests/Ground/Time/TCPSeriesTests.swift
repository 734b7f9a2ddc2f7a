import TapelineSystem
import TapelineTime
import Testing

@Suite("TCP over time")
struct TCPSeriesTests {
  private static func sample(
    _ milliseconds: Int64, paused: Bool = false, retransmits: UInt32 = 0, _ change: (inout TCPTraffic) -> Void = { _ in }
  ) -> TCPSample {
    var traffic = TCPTraffic()
    change(&traffic)
    return TCPSample(
      instant: instant(milliseconds),
      statistics: TCPStatistics(
        rttMicroseconds: 1, rttVariationMicroseconds: 1, minimumRTTMicroseconds: 1, totalRetransmits: retransmits,
        congestionWindow: 10, deliveryRate: 0, traffic: traffic),
      isPaused: paused)
  }

  private static func instant(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  private func sum(_ samples: [TCPSample], sends: Bool, from start: Int64, to end: Int64) -> TCPLimits {
    zip(samples, samples.dropFirst()).reduce(TCPLimits()) { sum, step in
      sum + TCPLimits(from: step.0, to: step.1, sends: sends, within: Self.instant(start)...Self.instant(end))
    }
  }

  private func limits(_ samples: [TCPSample], sends: Bool, from start: Int64 = 0, to end: Int64 = 1_000) -> [TCPLimit: Int64] {
    let limits = sum(samples, sends: sends, from: start, to: end)
    return TCPLimit.allCases.reduce(into: [:]) { if limits[$1] != 0 { $0[$1] = limits[$1] / 1_000_000 } }
  }

  // MARK: The series

  @Test(
    "A series is bounded, keeps its first sample and the newest, and thins out what is old", arguments: [64, 65, 1_000, 36_000])
  func bounded(count: Int) {
    var series = TCPSeries()
    for index in 0..<count { series.append(Self.sample(Int64(index) * 100)) }
    let times = series.samples.map { $0.instant.nanoseconds / 100_000_000 }
    #expect(times.count <= 64)
    #expect(times.first == 0)
    #expect(times.suffix(16) == (Int64(count) - 16..<Int64(count)).map(\.self)[...])
    #expect(times == times.sorted())
  }

  @Test("An exchange has the samples after its start, and one that was over before the next sample has none")
  func history() {
    var series = TCPSeries()
    for time in [100, 200, 300] as [Int64] { series.append(Self.sample(time)) }
    let long = TCPHistory(from: Self.sample(150), series, to: Self.sample(301))
    #expect(long.samples.map(\.instant) == [150, 200, 300, 301].map(Self.instant))
    #expect(long.isSeries)
    let short = TCPHistory(from: Self.sample(301), series, to: Self.sample(305))
    #expect(short.samples.count == 2 && !short.isSeries)
    #expect(TCPHistory(from: Self.sample(305), series, to: Self.sample(300)).samples.count == 1, "nothing was asked meanwhile")
  }

  @Test("The direction is where more bytes went")
  func direction() {
    let start = Self.sample(0)
    #expect(TCPHistory(from: start, TCPSeries(), to: Self.sample(1) { $0.bytesAcknowledged = 9 }).sends)
    #expect(
      !TCPHistory(from: start, TCPSeries(), to: Self.sample(1) { ($0.bytesAcknowledged, $0.bytesReceived) = (9, 10) }).sends)
  }

  // MARK: The limits

  @Test("A sender divides its time as its kernel did, and the sum is the time of the transfer")
  func sending() {
    let samples = [
      Self.sample(0),
      Self.sample(100) {
        ($0.busyMilliseconds, $0.windowLimitedMilliseconds, $0.bufferLimitedMilliseconds) = (80, 50, 10)
      },
    ]
    #expect(limits(samples, sends: true) == [.receiver: 50, .sender: 10, .congestion: 20, .application: 20])
    #expect(sum(samples, sends: true, from: 0, to: 100).longest == .receiver)
  }

  @Test("Data in flight is not congestion where the sender had nothing more to send, unless segments were lost")
  func nothingToSend() {
    func end(_ retransmits: UInt32) -> TCPSample {
      Self.sample(100, retransmits: retransmits) { ($0.busyMilliseconds, $0.isApplicationLimited) = (100, true) }
    }
    #expect(limits([Self.sample(0), end(0)], sends: true) == [.application: 100])
    #expect(limits([Self.sample(0), end(1)], sends: true) == [.congestion: 100])
  }

  @Test("The kernel's clock is coarse: no part is longer than the whole")
  func coarse() {
    let end = Self.sample(3) { ($0.busyMilliseconds, $0.windowLimitedMilliseconds, $0.bufferLimitedMilliseconds) = (4, 4, 4) }
    #expect(limits([Self.sample(0), end], sends: true) == [.receiver: 3])
  }

  @Test("A receiver that did not read held the transfer up; else segments out of order did; else the sender")
  func receiving() {
    let samples = [
      Self.sample(0), Self.sample(100, paused: true), Self.sample(200), Self.sample(300) { $0.outOfOrder = 2 },
      Self.sample(400) { $0.outOfOrder = 2 },
    ]
    #expect(limits(samples, sends: false) == [.receiver: 200, .congestion: 100, .application: 100])
  }

  @Test("Only the time of the transfer counts")
  func window() {
    let samples = [Self.sample(0), Self.sample(100), Self.sample(200)]
    #expect(limits(samples, sends: false, from: 50, to: 110) == [.application: 60])
    #expect(limits(samples, sends: false, from: 300, to: 400) == [:])
    #expect(TCPLimits().longest == nil)
  }

  @Test("Counters that wrap go on")
  func wrapping() {
    let samples = [
      Self.sample(0) { $0.busyMilliseconds = .max - 9 },
      Self.sample(100) { $0.busyMilliseconds = 30 },
    ]
    #expect(limits(samples, sends: true) == [.congestion: 40, .application: 60])
  }
}
