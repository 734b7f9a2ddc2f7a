internal import Glibc
internal import TapelineFiles

extension HARFile {
  /// Opens a file that holds nothing, made if there was none, and locks it.
  ///
  /// - Parameter replaces: whether it may hold anything, which is lost as soon as it is locked.
  static func create(_ path: String, replacing replaces: Bool) throws(RecorderError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: O_RDWR, existing: replaces ? .anything : .empty)
    } catch .exists {
      throw isLocked(path) ? .locked(path: path) : .fileExists(path: path)
    } catch {
      throw RecorderError(error, path: path)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, !replaces || ftruncate(descriptor, 0) == 0 else {
      let code = errno
      _ = Glibc.close(descriptor)
      throw code == EWOULDBLOCK ? .locked(path: path) : .cannotCreate(path: path, code: code)
    }
    return descriptor
  }

  /// Whether somebody records into the file.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { _ = Glibc.close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
