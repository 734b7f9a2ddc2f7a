internal import CTapeline

/// A failed system call; the caller can react to the failure.
@usableFromInline
package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  @usableFromInline
  package enum Call: String, Sendable {
    case accept
    case access
    case bind
    case chmod
    case close
    case connect
    case duplicate = "fcntl"
    case epoll = "epoll_create"
    case eventfd
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
    case open
    case opendir
    case pipe
    case poll
    case pread
    case pthread = "pthread_create"
    case pwrite
    case read
    case readlink
    case realpath
    case rename
    case rmdir
    case setsockopt
    case shutdown
    case socket
    case spawn = "posix_spawn"
    case stat
    case unlink
    case write
    case writev
  }

  /// The `errno` code, positive: `ErrorCode` names the codes that we distinguish.
  package let code: Int32
  package let call: Call

  @usableFromInline
  package init(code: Int32, call: Call) {
    self.code = code
    self.call = call
  }

  @usableFromInline
  package var description: String {
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
