internal import Glibc

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
