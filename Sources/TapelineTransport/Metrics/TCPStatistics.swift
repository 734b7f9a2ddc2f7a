package import TapelineLoop

/// What the kernel knows of a TCP connection (`TCP_INFO`): averages over its life.
public struct TCPStatistics: Hashable, Sendable {
  /// The smoothed round-trip time.
  public let roundTripTime: Duration
  /// How much single round trips differ from `roundTripTime`.
  public let roundTripTimeVariation: Duration
  /// The shortest round trip; `nil` while the kernel does not know it.
  public let minimumRoundTripTime: Duration?
  /// Segments sent again, over the connection's life.
  public let retransmissions: Int
  /// In segments.
  public let congestionWindow: Int
  /// Bytes per second; `nil` while the kernel does not know it.
  public let deliveryRate: UInt64?

  package init(_ info: TCPInfo) {
    roundTripTime = .microseconds(Int64(info.rttMicroseconds))
    roundTripTimeVariation = .microseconds(Int64(info.rttVariationMicroseconds))
    minimumRoundTripTime =
      info.minimumRTTMicroseconds == 0 ? nil : .microseconds(Int64(info.minimumRTTMicroseconds))
    retransmissions = Int(info.totalRetransmits)
    congestionWindow = Int(info.congestionWindow)
    deliveryRate = info.deliveryRate == 0 ? nil : info.deliveryRate
  }
}
