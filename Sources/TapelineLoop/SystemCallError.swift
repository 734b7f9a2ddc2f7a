internal import CTapeline

/// A system call that failed in a way its caller can act on.
package struct SystemCallError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Call: String, Sendable {
    case accept
    case bind
    case close
    case connect
    case epoll = "epoll_create"
    case eventfd
    case getpeername
    case getsockname
    case getsockopt
    case listen
    case pthread = "pthread_create"
    case read
    case setsockopt
    case shutdown
    case socket
    case write
    case writev
  }

  /// The `errno` code, positive.
  package let code: Int32
  package let call: Call

  package init(code: Int32, call: Call) {
    self.code = code
    self.call = call
  }

  package var description: String {
    "\(call.rawValue): \(Self.text(of: code))"
  }

  /// What the system says of `code`, e.g. "Connection refused".
  package static func text(of code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let start = buffer.baseAddress, let text = unsafe tapeline_error_text(code, start, buffer.count) else {
        return "error \(code)"
      }
      return unsafe String(cString: text)
    }
  }
}
