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
