package import TapelineTime

/// The events that a channel reports to the object that uses it, on the channel's loop.
///
/// The methods do not pass the channel: a handler has one, and it may be more than a bare channel (a `SecureChannel` reports the
/// same events). A handler may do anything to its channel inside a callback, even close it; nothing is reported after `close()`
/// returns. No callback comes from inside a call that the handler makes: the result of a write is reported after the handler has
/// returned.
package protocol ChannelHandler: AnyObject {
  /// Bytes arrived. They are borrowed for the duration of the call. `instant`: when the read returned them.
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant)

  /// The peer ended its direction (FIN). Ours is still open.
  func channelDidReceiveEnd(at instant: MonotonicInstant)

  /// The kernel took `count` bytes; `instant`: when it took the last of them.
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant)

  /// The waiting bytes had risen to the high-water mark and have fallen to the low-water mark.
  func channelDidDrain()

  /// The connection failed. Reported once, as the last event; the channel closes when this returns.
  func channelDidFail(_ error: LoopError)
}
