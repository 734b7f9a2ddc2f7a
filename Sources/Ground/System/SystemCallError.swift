internal import CTapeline
internal import Glibc

/// A failed system call; the caller can react to the failure.
public struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Call: String, Sendable {
    case accept
    case access
    case bind
    case chmod
    case close
    case connect
    case control = "ioctl"
    case duplicate = "fcntl"
    case epoll = "epoll_create"
    case eventfd
    case execute = "execvpe"
    case flock
    case fsync
    case ftruncate
    case getcwd
    case getpeername
    case getsockname
    case getsockopt
    case inotify
    case link
    case listen
    case lseek
    case mkdir
    case mkdtemp
    case netlink
    case open
    case opendir
    case pipe
    case poll
    case prctl
    case pread
    case pthread = "pthread_create"
    case pwrite
    case read
    case readlink
    case realpath
    case receive = "recvmsg"
    case rename
    case rmdir
    case send = "sendmsg"
    case setsockopt
    case shutdown
    case socket
    case spawn = "posix_spawn"
    case splice
    case stat
    case unlink
    case unshare
    case write
    case writev
  }

  /// The `errno` code, positive: `ErrorCode` names the codes that we distinguish.
  public let code: Int32
  public let call: Call

  @usableFromInline
  package init(code: Int32, call: Call) {
    self.code = code
    self.call = call
  }

  public var description: String {
    "\(call.rawValue): \(text)"
  }

  /// The system's text for the code, without the call.
  package var text: String { Self.text(of: code) }

  /// The system's text for `code`, e.g. "Connection refused".
  package static func text(of code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let start = buffer.baseAddress, let text = unsafe tapeline_error_text(code, start, buffer.count) else {
        return "error \(code)"
      }
      return unsafe String(cString: text)
    }
  }
}

/// The system's error codes that we distinguish, named by their meaning; each comment has the name from the manual pages
/// (errno(3)).
package enum ErrorCode {
  // Files.

  /// ENOENT
  package static var notFound: Int32 { ENOENT }
  /// ENOTDIR
  package static var notDirectory: Int32 { ENOTDIR }
  /// EISDIR
  package static var isDirectory: Int32 { EISDIR }
  /// EEXIST
  package static var exists: Int32 { EEXIST }
  /// EACCES
  package static var accessDenied: Int32 { EACCES }
  /// EPERM
  package static var notPermitted: Int32 { EPERM }
  /// Whether a code says nothing of the call's object: the kernel does not know the call, or a filter forbids it.
  package static func meansRefusedCall(_ code: Int32) -> Bool { [ENOSYS, EPERM, EACCES, EINVAL].contains(code) }
  /// ELOOP: a symbolic link where we do not follow one.
  package static var isLink: Int32 { ELOOP }
  /// ENXIO: a pipe that nobody reads.
  package static var noReader: Int32 { ENXIO }
  /// EMLINK
  package static var tooManyLinks: Int32 { EMLINK }
  /// EXDEV
  package static var otherFileSystem: Int32 { EXDEV }
  /// EFBIG
  package static var tooLarge: Int32 { EFBIG }
  /// ENOSPC
  package static var noSpace: Int32 { ENOSPC }
  /// EIO
  package static var inputOutput: Int32 { EIO }

  // Sockets.

  /// ECONNREFUSED
  package static var connectionRefused: Int32 { ECONNREFUSED }
  /// ECONNRESET
  package static var connectionReset: Int32 { ECONNRESET }
  /// ECONNABORTED
  package static var connectionAborted: Int32 { ECONNABORTED }
  /// EPIPE
  package static var brokenPipe: Int32 { EPIPE }
  /// ETIMEDOUT
  package static var timedOut: Int32 { ETIMEDOUT }
  /// ENETUNREACH
  package static var networkUnreachable: Int32 { ENETUNREACH }
  /// ENETDOWN
  package static var networkDown: Int32 { ENETDOWN }
  /// EHOSTUNREACH
  package static var hostUnreachable: Int32 { EHOSTUNREACH }
  /// EHOSTDOWN
  package static var hostDown: Int32 { EHOSTDOWN }
  /// EADDRINUSE
  package static var addressInUse: Int32 { EADDRINUSE }
  /// EADDRNOTAVAIL
  package static var addressNotAvailable: Int32 { EADDRNOTAVAIL }

  // Any call.

  /// EAGAIN
  package static var wouldBlock: Int32 { EAGAIN }
  /// EINVAL
  package static var invalidArgument: Int32 { EINVAL }
  /// EOPNOTSUPP
  package static var notSupported: Int32 { EOPNOTSUPP }
  /// ENOSYS
  package static var notImplemented: Int32 { ENOSYS }
  /// EBADF
  package static var badDescriptor: Int32 { EBADF }
  /// ECANCELED
  package static var cancelled: Int32 { ECANCELED }
  /// EMFILE: the limit of this process.
  package static var tooManyFiles: Int32 { EMFILE }
  /// ENFILE: the limit of this machine.
  package static var tooManyFilesOfAll: Int32 { ENFILE }
  /// ENOBUFS
  package static var noBuffers: Int32 { ENOBUFS }
  /// ENOMEM
  package static var noMemory: Int32 { ENOMEM }
}
