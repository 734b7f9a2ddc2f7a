internal import CTapeline

/// The kernel's information about a TCP connection (`TCP_INFO`).
package struct TCPInfo: Hashable, Sendable {
  package let rttMicroseconds: UInt32
  package let rttVariationMicroseconds: UInt32
  /// 0 if not yet known.
  package let minimumRTTMicroseconds: UInt32
  package let totalRetransmits: UInt32
  /// In segments.
  package let congestionWindow: UInt32
  /// Bytes per second; 0 if not yet known.
  package let deliveryRate: UInt64

  package init(
    rttMicroseconds: UInt32, rttVariationMicroseconds: UInt32, minimumRTTMicroseconds: UInt32, totalRetransmits: UInt32,
    congestionWindow: UInt32, deliveryRate: UInt64
  ) {
    self.rttMicroseconds = rttMicroseconds
    self.rttVariationMicroseconds = rttVariationMicroseconds
    self.minimumRTTMicroseconds = minimumRTTMicroseconds
    self.totalRetransmits = totalRetransmits
    self.congestionWindow = congestionWindow
    self.deliveryRate = deliveryRate
  }

  init(_ info: tapeline_tcp_info) {
    self.init(
      rttMicroseconds: info.rtt_us, rttVariationMicroseconds: info.rttvar_us, minimumRTTMicroseconds: info.min_rtt_us,
      totalRetransmits: info.total_retransmits, congestionWindow: info.snd_cwnd, deliveryRate: info.delivery_rate)
  }
}
