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

/// The share that one of many messages has in a call that sends them all, as a value.
///
/// A thread that has woken peers often loses its processor before the call returns, which tells nothing about the messages. So a
/// call that takes much longer than those before it counts as a little slower than they were.
struct SendingPace {
  private var usualNanoseconds: Int64 = 5_000

  /// - Parameter nanoseconds: what a call took that sent `count` messages.
  mutating func share(of nanoseconds: Int64, among count: Int) -> Int64 {
    usualNanoseconds = min(max(0, nanoseconds) / Int64(count), usualNanoseconds + usualNanoseconds / 16 + 1)
    return usualNanoseconds
  }
}
