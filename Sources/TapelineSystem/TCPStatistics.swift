internal import CTapeline

/// What the kernel knows of a TCP connection (`TCP_INFO`): averages over its life.
public struct TCPStatistics: Hashable, Sendable {
  package let rttMicroseconds: UInt32
  package let rttVariationMicroseconds: UInt32
  /// 0 while the kernel does not know it.
  package let minimumRTTMicroseconds: UInt32
  package let totalRetransmits: UInt32
  private let segments: UInt32
  /// 0 while the kernel does not know it.
  private let bytesPerSecond: UInt64

  package init(
    rttMicroseconds: UInt32, rttVariationMicroseconds: UInt32, minimumRTTMicroseconds: UInt32, totalRetransmits: UInt32,
    congestionWindow: UInt32, deliveryRate: UInt64
  ) {
    self.rttMicroseconds = rttMicroseconds
    self.rttVariationMicroseconds = rttVariationMicroseconds
    self.minimumRTTMicroseconds = minimumRTTMicroseconds
    self.totalRetransmits = totalRetransmits
    segments = congestionWindow
    bytesPerSecond = deliveryRate
  }

  init(_ info: tapeline_tcp_info) {
    self.init(
      rttMicroseconds: info.rtt_us, rttVariationMicroseconds: info.rttvar_us, minimumRTTMicroseconds: info.min_rtt_us,
      totalRetransmits: info.total_retransmits, congestionWindow: info.snd_cwnd, deliveryRate: info.delivery_rate)
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
  public var congestionWindow: Int { Int(segments) }

  /// Bytes per second; `nil` while the kernel does not know it.
  public var deliveryRate: UInt64? { bytesPerSecond == 0 ? nil : bytesPerSecond }
}
