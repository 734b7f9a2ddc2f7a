internal import Glibc

/// Why the loop could not do something: the kind of reason, and a sentence for people. The owner of the connection knows whose failure it is
/// and what it means.
package struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    case nameNotFound
    case resolverFailure
    /// Too many lookups wait.
    case resolverBusy
    /// All addresses of the host, which are these, are ones that must not be tried.
    case prohibited([SocketAddress])
    case refused
    case reset
    case unreachable
    /// The kernel, or the channel, has waited too long.
    case timedOut
    /// No connection stood within the time that was given.
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

  /// What a failed system call means. `subject` says what it was about, e.g. "127.0.0.1:80".
  package init(_ error: SystemCallError, subject: String? = nil) {
    let cause = SystemCallError.text(of: error.code)
    self.init(
      Kind(code: error.code), subject.map { "\(error.call.rawValue) \($0): \(cause)" } ?? "\(error.call.rawValue): \(cause)")
  }

  package var description: String { message }
}

extension LoopError.Kind {
  package init(code: Int32) {
    self =
      switch code {
      case ECONNREFUSED: .refused
      case ECONNRESET, EPIPE, ECONNABORTED: .reset
      case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: .unreachable
      case ETIMEDOUT: .timedOut
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: .tooManyFiles
      case EADDRINUSE: .addressInUse
      case EADDRNOTAVAIL: .addressNotAvailable
      case EACCES, EPERM: .permissionDenied
      case ECANCELED: .cancelled
      default: .other(code)
      }
  }
}
