internal import CTapeline
internal import Glibc

// Open files. These calls may wait for a disk: never make them on a loop.
extension SystemCalls {
  /// - Parameter mode: for a new file, reduced by the umask.
  package static func open(_ path: String, _ flags: OpenFlags = [], mode: UInt32 = 0o600) throws(SystemCallError) -> Int32 {
    try retrying(.open) { unsafe tapeline_open(path, flags.rawValue, mode) }
  }

  package static func closeOnExecute(_ descriptor: Int32) throws(SystemCallError) {
    _ = try retrying(.duplicate) { tapeline_close_on_execute(descriptor) }
  }

  package static func duplicate(_ descriptor: Int32) throws(SystemCallError) -> Int32 {
    try retrying(.duplicate) { tapeline_duplicate(descriptor) }
  }

  package static func status(of descriptor: Int32) throws(SystemCallError) -> FileStatus {
    var status = tapeline_file_status()
    _ = try retrying(.stat) { unsafe tapeline_fstat(descriptor, &status) }
    return FileStatus(status)
  }

  /// Flushes written data to the disk.
  ///
  /// - Parameter withStatus: also flush metadata such as the time of the last change.
  package static func synchronize(_ descriptor: Int32, withStatus: Bool = true) throws(SystemCallError) {
    _ = try retrying(.fsync) { withStatus ? tapeline_fsync(descriptor) : tapeline_fdatasync(descriptor) }
  }

  /// Cuts the file to `size` bytes, or extends it with zeros.
  package static func truncate(_ descriptor: Int32, to size: Int) throws(SystemCallError) {
    _ = try retrying(.ftruncate) { tapeline_ftruncate(descriptor, size) }
  }

  /// Goes to the end of the file and returns its size.
  @discardableResult
  package static func seekToEnd(_ descriptor: Int32) throws(SystemCallError) -> Int {
    try count(.lseek) { tapeline_lseek(descriptor, 0, SEEK_END) }
  }

  /// The position of the next read or write.
  package static func position(of descriptor: Int32) throws(SystemCallError) -> Int {
    try count(.lseek) { tapeline_lseek(descriptor, 0, SEEK_CUR) }
  }

  package static func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(SystemCallError) {
    _ = try retrying(.chmod) { tapeline_fchmod(descriptor, permissions) }
  }

  /// Sets whether writes bypass the page cache (`O_DIRECT`).
  ///
  /// - Returns: whether the file system supports it.
  package static func setDirect(_ isDirect: Bool, of descriptor: Int32) -> Bool {
    tapeline_set_direct(descriptor, isDirect) == 0
  }

  // MARK: Locks

  package enum Lock: Sendable {
    case shared
    case exclusive
  }

  /// Waits until we have the lock; it lasts until the descriptor is closed.
  package static func lock(_ descriptor: Int32) throws(SystemCallError) {
    _ = try retrying(.flock) { tapeline_flock(descriptor, LOCK_EX) }
  }

  /// Takes the lock if no other lock excludes it; returns whether we have it.
  package static func tryLock(_ descriptor: Int32, _ lock: Lock) throws(SystemCallError) -> Bool {
    do throws(SystemCallError) {
      _ = try retrying(.flock) { tapeline_flock(descriptor, (lock == .exclusive ? LOCK_EX : LOCK_SH) | LOCK_NB) }
      return true
    } catch  where error.code == EWOULDBLOCK {
      return false
    }
  }

  package static func unlock(_ descriptor: Int32) {
    _ = tapeline_flock(descriptor, LOCK_UN)
  }
}

// Names of files.
extension SystemCalls {
  package enum Access: Sendable {
    case existence
    case reading
    case writing
    case executing

    fileprivate var mode: Int32 {
      switch self {
      case .existence: F_OK
      case .reading: R_OK
      case .writing: W_OK
      case .executing: X_OK
      }
    }
  }

  /// - Throws: if we lack any of these permissions.
  package static func checkAccess(to path: String, for accesses: Access...) throws(SystemCallError) {
    let mode = accesses.reduce(0) { $0 | $1.mode }
    _ = try retrying(.access) { unsafe tapeline_access(path, mode) }
  }

  package static func mayAccess(_ path: String, for access: Access) -> Bool {
    unsafe tapeline_access(path, access.mode) == 0
  }

  /// Whether the path exists; for a link, whether its target exists.
  package static func exists(_ path: String) -> Bool {
    mayAccess(path, for: .existence)
  }

  package static func status(of path: String, followsLinks: Bool = true) throws(SystemCallError) -> FileStatus {
    var status = tapeline_file_status()
    _ = try retrying(.stat) { unsafe tapeline_stat(path, followsLinks, &status) }
    return FileStatus(status)
  }

  /// `nil` if the path does not exist, or we cannot see it.
  package static func statusIfPresent(of path: String, followsLinks: Bool = true) -> FileStatus? {
    var status = tapeline_file_status()
    return unsafe tapeline_stat(path, followsLinks, &status) == 0 ? FileStatus(status) : nil
  }

  package static func setPermissions(_ permissions: UInt32, of path: String) throws(SystemCallError) {
    _ = try retrying(.chmod) { unsafe tapeline_chmod(path, permissions) }
  }

  /// Gives the file another name, and replaces a file that has it.
  package static func rename(_ path: String, to other: String) throws(SystemCallError) {
    _ = try retrying(.rename) { unsafe tapeline_rename(path, other) }
  }

  /// Gives the file a second name, which must be free.
  package static func link(_ path: String, as other: String) throws(SystemCallError) {
    _ = try retrying(.link) { unsafe tapeline_link(path, other) }
  }

  package static func remove(_ path: String) throws(SystemCallError) {
    _ = try retrying(.unlink) { unsafe tapeline_unlink(path) }
  }

  /// Removes a file that is no longer wanted. If that fails, the file stays, since we could do nothing about it.
  package static func removeIfPossible(_ path: String) {
    _ = unsafe tapeline_unlink(path)
  }

  /// The absolute path without links.
  package static func realPath(of path: String) throws(SystemCallError) -> String {
    try unsafe text(.realpath, capacity: Int(PATH_MAX)) { buffer, _ in unsafe Int(tapeline_realpath(path, buffer)) }
  }

  package static func workingDirectory() throws(SystemCallError) -> String {
    try unsafe text(.getcwd, capacity: Int(PATH_MAX)) { buffer, size in unsafe Int(tapeline_getcwd(buffer, size)) }
  }

  /// The text that `body` writes, up to a NUL.
  private static func text(
    _ call: SystemCallError.Call, capacity: Int, _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int
  ) throws(SystemCallError) -> String {
    var characters = [CChar](repeating: 0, count: capacity + 1)
    _ = try unsafe characters.withUnsafeMutableBufferPointer { buffer throws(SystemCallError) in
      try count(call) { unsafe body(buffer.baseAddress, capacity) }
    }
    return String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
