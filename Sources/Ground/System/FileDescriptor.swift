internal import Glibc

/// Owns one open descriptor: closed exactly once, by its owner.
///
/// `close` is a method because it can fail. `deinit` is only the alarm: a lost descriptor stops a debug build and is closed in a
/// release build.
package struct FileDescriptor: ~Copyable, Sendable {
  /// For system calls while this value lives; never store it.
  package let rawValue: Int32

  /// Takes ownership of `rawValue`.
  package init(owning rawValue: Int32) {
    precondition(rawValue >= 0, "a negative descriptor is an error code that nobody looked at")
    self.rawValue = rawValue
  }

  package consuming func close() throws(SystemCallError) {
    let descriptor = release()
    try SystemCalls.close(descriptor)
  }

  /// Closes a descriptor whose `close` reports nothing useful: the peer acknowledges a socket's bytes, `close` does not.
  package consuming func discard() {
    let descriptor = release()
    SystemCalls.discard(descriptor)
  }

  /// Gives up ownership.
  package consuming func release() -> Int32 {
    let descriptor = rawValue
    discard self
    return descriptor
  }

  deinit {
    assertionFailure("descriptor \(rawValue) was dropped without being closed")
    SystemCalls.discard(rawValue)
  }
}

/// The descriptors with which a process is started. Nobody owns them.
package enum StandardStream {
  package static let input: Int32 = 0
  package static let output: Int32 = 1
  package static let error: Int32 = 2
}

/// How to open a file (open(2)). Every descriptor is also close-on-exec.
package struct OpenFlags: OptionSet, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  /// The default, which has no bit.
  package static let readOnly = OpenFlags(rawValue: O_RDONLY)
  package static let writeOnly = OpenFlags(rawValue: O_WRONLY)
  package static let readWrite = OpenFlags(rawValue: O_RDWR)
  package static let append = OpenFlags(rawValue: O_APPEND)
  /// Makes the file if it is missing.
  package static let create = OpenFlags(rawValue: O_CREAT)
  /// With `create`: fails if the name is taken.
  package static let exclusive = OpenFlags(rawValue: O_EXCL)
  package static let truncate = OpenFlags(rawValue: O_TRUNC)
  /// Fails for a symbolic link.
  package static let noFollow = OpenFlags(rawValue: O_NOFOLLOW)
  /// Does not wait for the other end of a pipe.
  package static let nonBlocking = OpenFlags(rawValue: O_NONBLOCK)
  package static let noControllingTerminal = OpenFlags(rawValue: O_NOCTTY)
  /// Fails for anything but a directory.
  package static let directory = OpenFlags(rawValue: O_DIRECTORY)
}
