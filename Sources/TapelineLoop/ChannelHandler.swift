package import TapelineTime

/// What a channel tells the object that uses it, on the channel's loop.
///
/// The channel is not named: a handler has one, and what it has may be more than a bare channel (a `SecureChannel` tells the same).
/// A handler may do anything to its channel inside a callback, closing included; nothing is reported after `close()` returns.
/// No callback comes from inside a call of the handler's own: what a write leads to is reported when the handler has returned.
package protocol ChannelHandler: AnyObject {
  /// Bytes came. They are borrowed for the duration of the call. `instant`: when the read returned them.
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant)

  /// The peer ended its direction (FIN). Ours is still open.
  func channelDidReceiveEnd(at instant: MonotonicInstant)

  /// The kernel took `count` bytes; `instant`: when it took the last of them.
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant)

  /// What waits had risen to the high-water mark and has fallen to the low-water mark.
  func channelDidDrain()

  /// The connection failed. Once, last; the channel closes when this returns.
  func channelDidFail(_ error: LoopError)
}
