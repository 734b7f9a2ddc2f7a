internal import Glibc
internal import TapelineFiles

extension HARFile {
  /// Opens a file that holds nothing, made if there was none, and locks it.
  static func create(_ path: String) throws(RecorderError) -> Int32 {
    let descriptor: Int32
    do throws(PrivateFileError) {
      descriptor = try PrivateFile.open(path, flags: O_RDWR, existing: .empty)
    } catch {
      throw RecorderError(error, path: path)
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      _ = Glibc.close(descriptor)
      throw code == EWOULDBLOCK ? .locked(path: path) : .cannotCreate(path: path, code: code)
    }
    return descriptor
  }
}
