internal import CTapeline
internal import Glibc

/// Opens files for writing such that nobody but their owner reads them, now or later: every file of ours that is not public by its nature
/// comes from here.
///
/// A new file is made exclusively with mode 0600, whatever the umask. One that is there already is taken only where it is a regular
/// file of ours with one name, that no link leads to, and gets that mode before anything is written. Descriptors are the caller's to close.
package enum PrivateFile {
  /// What may be there already.
  package enum Existing: Sendable, Hashable {
    case nothing
    /// `mktemp` makes empty files.
    case empty
    /// What it holds stays, and what is written follows it.
    case anything
  }

  package static let mode: UInt32 = 0o600

  /// - Parameter flags: how it is opened, besides what is decided here: `O_WRONLY | O_APPEND`, for instance.
  package static func open(_ path: String, flags: Int32, existing: Existing) throws(PrivateFileError) -> Int32 {
    try checkName(path)
    let made = unsafe tapeline_open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW, mode)
    if made >= 0 { return try checked(made) { () throws(PrivateFileError) in try protect(made) } }
    guard made == -EEXIST else { throw .system(-made) }
    guard existing != .nothing else { throw isLink(path) ? .link : .exists }
    // Never blocks, should it be a pipe that nobody reads.
    let found = unsafe tapeline_open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
    guard found >= 0 else { throw refusal(of: -found) }
    return try checked(found) { () throws(PrivateFileError) in
      let status = try status(of: found)
      try checkOurs(status)
      guard existing == .anything || status.st_size == 0 else { throw .exists }
      try protect(found)
    }
  }

  /// A file beside `path` that takes its name by `rename` when it is whole.
  package static func draft(of path: String, flags: Int32 = O_WRONLY) throws(PrivateFileError) -> (
    path: String, descriptor: Int32
  ) {
    let draft = "\(path).\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
    return (draft, try open(draft, flags: flags, existing: .nothing))
  }

  /// A file that has no name, for reading and writing: it goes with its descriptor.
  package static func unnamed(in directory: String) throws(PrivateFileError) -> Int32 {
    let (path, descriptor) = try draft(of: "\(directory)/tapeline", flags: O_RDWR)
    return try checked(descriptor) { () throws(PrivateFileError) in
      guard unsafe unlink(path) == 0 else { throw .system(errno) }
    }
  }

  /// Whether a file that is there may give way to one that is renamed to its name: nothing of another kind, and nobody else's.
  package static func checkReplaceable(_ path: String) throws(PrivateFileError) {
    try checkName(path)
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT { return }
      throw .system(code)
    }
    guard status.st_mode & S_IFMT != S_IFLNK else { throw .link }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_uid == geteuid() else { throw .foreign }
  }

  /// Opens a stream that is there already: a terminal, a pipe of ours, or what the system calls by the number of an open descriptor.
  ///
  /// - Returns: nil where `path` names none of these, but a file or nothing.
  package static func openStream(_ path: String, flags: Int32) throws(PrivateFileError) -> Int32? {
    try checkName(path)
    if isOpenDescriptor(path) {
      let descriptor = unsafe tapeline_open(path, flags, 0)
      guard descriptor >= 0 else { throw .system(-descriptor) }
      return descriptor
    }
    var status = stat()
    guard unsafe lstat(path, &status) == 0, ![S_IFREG, S_IFLNK, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
    let descriptor = unsafe tapeline_open(path, flags | O_NOFOLLOW | O_NOCTTY, 0)
    guard descriptor >= 0 else { throw refusal(of: -descriptor) }
    return try checked(descriptor) { () throws(PrivateFileError) in
      let status = try Self.status(of: descriptor)
      // Who made a pipe reads what is written into it.
      guard status.st_mode & S_IFMT == S_IFCHR || status.st_uid == geteuid() else { throw .foreign }
    }
  }

  /// Opens a file of ours to add to its end, made if there is none; or a stream.
  package static func openLog(_ path: String) throws(PrivateFileError) -> Int32 {
    let flags = O_WRONLY | O_APPEND
    if let stream = try openStream(path, flags: flags) { return stream }
    return try open(path, flags: flags, existing: .anything)
  }

  /// Whether nobody else can replace what is in a directory of ours.
  ///
  /// - Parameter isClosed: whether others must not enter it either.
  package static func checkDirectory(_ path: String, isClosed: Bool) throws(PrivateFileError) {
    try checkName(path)
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw .system(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .system(ENOTDIR) }
    guard status.st_uid == geteuid() else { throw .foreign }
    guard status.st_mode & (isClosed ? 0o077 : 0o022) == 0 else { throw .exposed(mode: status.st_mode & 0o7777) }
  }

  // MARK: Parts

  /// The system would read a name with a NUL only up to there.
  private static func checkName(_ path: String) throws(PrivateFileError) {
    guard !path.utf8.contains(0) else { throw .system(EINVAL) }
  }

  private static func checkOurs(_ status: stat) throws(PrivateFileError) {
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    guard status.st_uid == geteuid() else { throw .foreign }
    guard status.st_nlink == 1 else { throw .otherNames }
  }

  private static func protect(_ descriptor: Int32) throws(PrivateFileError) {
    guard fchmod(descriptor, mode) == 0 else { throw .system(errno) }
  }

  private static func status(of descriptor: Int32) throws(PrivateFileError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(errno) }
    return status
  }

  private static func refusal(of code: Int32) -> PrivateFileError {
    switch code {
    case ELOOP: .link
    case ENXIO, EISDIR: .notRegular
    default: .system(code)
    }
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Links all of them, but the system's own, to what this process has open.
  private static func isOpenDescriptor(_ path: String) -> Bool {
    ["/dev/fd/", "/proc/self/fd/"].contains(where: path.hasPrefix) || ["/dev/stdout", "/dev/stderr", "/dev/null"].contains(path)
  }

  /// Passes the descriptor on if `check` does not throw.
  private static func checked(
    _ descriptor: Int32, _ check: () throws(PrivateFileError) -> Void
  ) throws(PrivateFileError) -> Int32 {
    do throws(PrivateFileError) {
      try check()
      return descriptor
    } catch {
      _ = tapeline_close(descriptor)
      throw error
    }
  }
}
