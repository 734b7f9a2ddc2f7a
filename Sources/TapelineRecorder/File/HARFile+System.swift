internal import Glibc

extension HARFile {
  /// Opens a file that holds nothing, made with mode 0600 if there was none, and locks it.
  static func create(_ path: String) throws(RecorderError) -> Int32 {
    let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if made < 0, errno != EEXIST { throw .cannotCreate(path: path, code: errno) }
    // An empty file may have been made for us, by mktemp for instance. Never blocks, should it be a pipe.
    let descriptor = made >= 0 ? made : unsafe open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotCreate(path: path, code: errno) }
    if let error = claim(descriptor, path) {
      _ = Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// Makes sure that nobody else writes the file and that it holds nothing.
  private static func claim(_ descriptor: Int32, _ path: String) -> RecorderError? {
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      return errno == EWOULDBLOCK ? .locked(path: path) : .cannotCreate(path: path, code: errno)
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return .cannotCreate(path: path, code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { return .notRegular(path: path) }
    return status.st_size == 0 ? nil : .fileExists(path: path)
  }
}
