import Glibc

/// What tests ask about files beyond their contents.
enum FileModes {
  struct Failure: Error {
    let path: String
    let code: Int32
  }

  /// The permission bits.
  static func mode(of path: String) throws -> mode_t {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw Failure(path: path, code: errno) }
    return status.st_mode & 0o777
  }
}
