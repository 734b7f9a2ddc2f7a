internal import Glibc

/// How a program ended.
package enum ExitStatus: Sendable, Hashable {
  case exited(Int32)
  case killed(signal: Int32)

  /// Reads what `waitpid` wrote; its macros do not import.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .killed(signal: signal)
  }

  package var isSuccess: Bool { self == .exited(0) }
}
