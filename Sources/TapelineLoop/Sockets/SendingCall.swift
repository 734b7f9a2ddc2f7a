internal import TapelineTime

/// A call to the kernel that lets a packet go, and when it did by the readings of the clock around it.
///
/// The kernel first makes the packet, and on loopback the same call does the receiver's work behind it: the packet leaves in the
/// middle. A call that takes longer than that explains was most likely held up behind the packet: the peer that it wakes may get
/// this thread's processor.
enum SendingCall {
  /// A call takes less, unless the thread loses its processor. Each byte may add a nanosecond.
  private static let promptNanoseconds: Int64 = 50_000

  /// - Parameters:
  ///   - called: when the call began.
  ///   - nanoseconds: what it took.
  ///   - bytes: the instant is that of the last of them.
  static func departure(called: MonotonicInstant, nanoseconds: Int64, bytes: Int = 0) -> MonotonicInstant {
    let explained = max(0, min(nanoseconds, promptNanoseconds + Int64(bytes)))
    return called.advanced(byNanoseconds: explained - min(explained, promptNanoseconds) / 2)
  }
}
