internal import CTapeline

/// The kernel's figures of a TCP connection (`TCP_INFO`): averages over its life.
///
/// One reference: many exchanges of a connection share what the kernel said once.
public struct TCPStatistics: Hashable, Sendable {
  private let answer: Answer

  private final class Answer: Sendable {
    let values: Values

    init(_ values: Values) {
      self.values = values
    }
  }

  private struct Values: Hashable {
    let rtt: UInt32
    let rttVariation: UInt32
    let minimumRTT: UInt32
    let retransmits: UInt32
    let congestionWindow: UInt32
    let deliveryRate: UInt64
    let traffic: TCPTraffic
  }

  package init(
    rttMicroseconds: UInt32, rttVariationMicroseconds: UInt32, minimumRTTMicroseconds: UInt32, totalRetransmits: UInt32,
    congestionWindow: UInt32, deliveryRate: UInt64, traffic: TCPTraffic = TCPTraffic()
  ) {
    answer = Answer(
      Values(
        rtt: rttMicroseconds, rttVariation: rttVariationMicroseconds, minimumRTT: minimumRTTMicroseconds,
        retransmits: totalRetransmits, congestionWindow: congestionWindow, deliveryRate: deliveryRate, traffic: traffic))
  }

  /// The bytes of memory behind one reference: the figures, and the two words of an object.
  package static var memorySize: Int { MemoryLayout<Values>.stride + 2 * MemoryLayout<Int>.stride }

  /// Before the kernel was asked.
  package static let unknown = TCPStatistics(
    rttMicroseconds: 0, rttVariationMicroseconds: 0, minimumRTTMicroseconds: 0, totalRetransmits: 0, congestionWindow: 0,
    deliveryRate: 0)

  public static func == (left: TCPStatistics, right: TCPStatistics) -> Bool {
    left.answer === right.answer || left.answer.values == right.answer.values
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(answer.values)
  }

  package var rttMicroseconds: UInt32 { answer.values.rtt }

  package var rttVariationMicroseconds: UInt32 { answer.values.rttVariation }

  /// 0 while the kernel does not know it.
  package var minimumRTTMicroseconds: UInt32 { answer.values.minimumRTT }

  package var totalRetransmits: UInt32 { answer.values.retransmits }

  package var traffic: TCPTraffic { answer.values.traffic }

  init(_ info: tapeline_tcp_info) {
    self.init(
      rttMicroseconds: info.rtt_us, rttVariationMicroseconds: info.rttvar_us, minimumRTTMicroseconds: info.min_rtt_us,
      totalRetransmits: info.total_retransmits, congestionWindow: info.snd_cwnd, deliveryRate: info.delivery_rate,
      traffic: TCPTraffic(info))
  }

  /// Before bytes are sent: how long the first packet of a connection that was opened here waited for its answer, in nanoseconds.
  /// `nil` while it waits, and if it was sent more than once.
  package var openingRoundTrip: Int64? {
    guard totalRetransmits == 0, rttMicroseconds > 0 else { return nil }
    return Int64(rttMicroseconds) * 1_000
  }

  /// The smoothed round-trip time.
  public var roundTripTime: Duration { .microseconds(Int64(rttMicroseconds)) }

  /// How much single round trips differ from `roundTripTime`.
  public var roundTripTimeVariation: Duration { .microseconds(Int64(rttVariationMicroseconds)) }

  /// The shortest round trip; `nil` while the kernel does not know it.
  public var minimumRoundTripTime: Duration? {
    minimumRTTMicroseconds == 0 ? nil : .microseconds(Int64(minimumRTTMicroseconds))
  }

  /// Segments sent again, over the connection's life.
  public var retransmissions: Int { Int(totalRetransmits) }

  /// In segments.
  public var congestionWindow: Int { Int(answer.values.congestionWindow) }

  /// Bytes per second; `nil` while the kernel does not know it.
  public var deliveryRate: UInt64? { answer.values.deliveryRate == 0 ? nil : answer.values.deliveryRate }
}

/// The bytes of a TCP connection and what held them up: counters over its life, and what is in flight now.
package struct TCPTraffic: Hashable, Sendable {
  package var bytesAcknowledged: UInt64 = 0
  package var bytesReceived: UInt64 = 0
  /// Milliseconds in which data was in flight; wraps after 49 days, as do the next two, which are parts of it.
  package var busyMilliseconds: UInt32 = 0
  /// The peer's window was closed.
  package var windowLimitedMilliseconds: UInt32 = 0
  /// Our send buffer was too small for the way.
  package var bufferLimitedMilliseconds: UInt32 = 0
  /// Segments that came before others that the peer had sent first.
  package var outOfOrder: UInt32 = 0
  /// In bytes.
  package var inFlight: UInt32 = 0
  /// Whether there was nothing to send when the kernel last measured the rate.
  package var isApplicationLimited = false

  package init() {}

  init(_ info: tapeline_tcp_info) {
    bytesAcknowledged = info.bytes_acked
    bytesReceived = info.bytes_received
    busyMilliseconds = UInt32(truncatingIfNeeded: info.busy_us / 1_000)
    windowLimitedMilliseconds = UInt32(truncatingIfNeeded: info.window_limited_us / 1_000)
    bufferLimitedMilliseconds = UInt32(truncatingIfNeeded: info.buffer_limited_us / 1_000)
    outOfOrder = info.out_of_order
    inFlight = info.in_flight
    isApplicationLimited = info.is_application_limited
  }
}
