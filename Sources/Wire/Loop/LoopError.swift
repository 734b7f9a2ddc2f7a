package import TapelineSystem

/// Why the loop could not do something: the kind of reason, and a sentence for people. The owner of the connection knows whose
/// failure it is and what it means.
package struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    case nameNotFound
    case resolverFailure
    /// Too many lookups wait.
    case resolverBusy
    /// All addresses of the host are prohibited; the value lists them.
    case prohibited([SocketAddress])
    case refused
    case reset
    case unreachable
    /// The kernel or the channel waited too long.
    case timedOut
    /// No connection was established within the given time.
    case tooLate
    case tooManyFiles
    case addressInUse
    case addressNotAvailable
    case permissionDenied
    case cancelled
    /// Any other `errno` code.
    case other(Int32)
  }

  package let kind: Kind
  package let message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  /// The meaning of a failed system call. `subject` is the object of the call, e.g. "127.0.0.1:80".
  package init(_ error: SystemCallError, subject: String? = nil) {
    let cause = SystemCallError.text(of: error.code) + Self.limit(behind: error.code)
    self.init(
      Kind(code: error.code), subject.map { "\(error.call.rawValue) \($0): \(cause)" } ?? "\(error.call.rawValue): \(cause)")
  }

  /// The process's own limit, if the call ran into it: it can be raised.
  private static func limit(behind code: Int32) -> String {
    guard code == ErrorCode.tooManyFiles, let limit = OpenFileLimit.current else { return "" }
    return " (this process may have \(limit) open: ulimit -n)"
  }

  package var description: String { message }
}

extension LoopError.Kind {
  package init(code: Int32) {
    self =
      switch code {
      case ErrorCode.connectionRefused: .refused
      case ErrorCode.connectionReset, ErrorCode.brokenPipe, ErrorCode.connectionAborted: .reset
      case ErrorCode.networkUnreachable, ErrorCode.hostUnreachable, ErrorCode.networkDown, ErrorCode.hostDown: .unreachable
      case ErrorCode.timedOut: .timedOut
      case ErrorCode.tooManyFiles, ErrorCode.tooManyFilesOfAll, ErrorCode.noBuffers, ErrorCode.noMemory: .tooManyFiles
      case ErrorCode.addressInUse: .addressInUse
      case ErrorCode.addressNotAvailable: .addressNotAvailable
      case ErrorCode.accessDenied, ErrorCode.notPermitted: .permissionDenied
      case ErrorCode.cancelled: .cancelled
      default: .other(code)
      }
  }
}
