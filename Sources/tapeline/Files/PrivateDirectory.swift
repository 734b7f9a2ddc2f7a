internal import CTapeline
internal import Glibc

/// A directory for files that a run needs until it ends, which only we can enter. Removed with its owner.
///
/// While it is used it is locked, and the system ends the lock with the process, however that ends: what a killed one has left, copies of
/// credentials among it, is removed by the next.
final class PrivateDirectory {
  let path: String
  /// Of the directory; holds the lock.
  private let descriptor: Int32

  /// Those that are locked, or were.
  private static let prefix = "tapeline-run."

  /// In the directory for temporary files.
  init(environment: [String: String]) throws(CommandFailure) {
    let parent = TemporaryFiles.directory(environment)
    Self.removeAbandoned(in: parent)
    // It gets the name that others look for when it is locked.
    var template = Array("\(parent)/tapeline-new-XXXXXX".utf8CString)
    var cause: Int32 = unsafe template.withUnsafeMutableBufferPointer { name in
      guard let start = name.baseAddress else { return EINVAL }
      return unsafe mkdtemp(start) == nil ? errno : 0
    }
    guard cause == 0 else { throw Self.failure(parent, cause) }
    let draft = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let path = "\(parent)/\(Self.prefix)\(draft.suffix(6))-\(getpid())"
    let descriptor = Self.lock(draft)
    cause = descriptor < 0 ? -descriptor : unsafe rename(draft, path) == 0 ? 0 : errno
    guard cause == 0 else {
      _ = unsafe rmdir(draft)
      if descriptor >= 0 { _ = tapeline_close(descriptor) }
      throw Self.failure(parent, cause)
    }
    self.path = path
    self.descriptor = descriptor
  }

  /// Removes the directory and the files in it. What cannot be removed stays for whoever cleans up temporary files.
  deinit {
    Self.remove(path)
    _ = tapeline_close(descriptor)
  }

  // MARK: What others have left

  private static func removeAbandoned(in parent: String) {
    for name in DirectoryNames.of(parent) where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      var status = stat()
      guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else { continue }
      let descriptor = lock(path)
      guard descriptor >= 0 else { continue }
      remove(path)
      _ = tapeline_close(descriptor)
    }
  }

  /// A descriptor with the lock, or the negative `errno` that says why there is none: `EWOULDBLOCK` where somebody else has it.
  private static func lock(_ path: String) -> Int32 {
    let descriptor = unsafe tapeline_open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
    guard descriptor >= 0 else { return descriptor }
    let cause = tapeline_flock(descriptor, LOCK_EX | LOCK_NB)
    guard cause < 0 else { return descriptor }
    _ = tapeline_close(descriptor)
    return cause
  }

  /// With all that is in it. Links are removed, not followed.
  private static func remove(_ path: String) {
    for name in DirectoryNames.of(path) {
      let child = "\(path)/\(name)"
      var status = stat()
      let isDirectory = unsafe lstat(child, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      if isDirectory { remove(child) } else { _ = unsafe unlink(child) }
    }
    _ = unsafe rmdir(path)
  }

  private static func failure(_ parent: String, _ cause: Int32) -> CommandFailure {
    CommandFailure(
      status: .cannotCreate, what: "no directory in \(parent)", why: systemErrorText(cause),
      remedy: "set TMPDIR to one that can be written")
  }
}
