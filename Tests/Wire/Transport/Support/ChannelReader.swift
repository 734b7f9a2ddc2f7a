import TapelineLoop
import TapelineTime

/// Reads what comes on a bare channel.
final class ChannelReader: ChannelHandler {
  private(set) var received: [UInt8] = []
  private(set) var ended = false

  init(_ channel: Channel) {
    channel.handler = self
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    unsafe bytes.withUnsafeBufferPointer { unsafe received.append(contentsOf: $0) }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) { ended = true }
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {}
  func channelDidDrain() {}
  func channelDidFail(_ error: LoopError) { ended = true }
}
