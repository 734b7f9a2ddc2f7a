internal import CTapeline
internal import Glibc
internal import TapelineLoop

/// The system calls on files, each interrupted one repeated, each failure with its path. They block: never on a loop.
enum FileCalls {
  /// What there is at a path, links followed.
  struct Status {
    let size: UInt64
    let isDirectory: Bool
  }

  /// How often, and with how many microseconds between, a descriptor is asked for: ten seconds in all. Connections that end give theirs back.
  private static let (scarceTrials, scarceMicroseconds) = (200, UInt32(50_000))

  static func open(_ path: String, flags: Int32, mode: mode_t = 0o600) throws(FileError) -> FileDescriptor {
    var trials = scarceTrials
    while true {
      let result = unsafe tapeline_open(path, flags, mode)
      if result >= 0 { return FileDescriptor(owning: result) }
      switch -result {
      case EINTR:
        break
      case EMFILE where trials > 0, ENFILE where trials > 0:
        trials -= 1
        usleep(scarceMicroseconds)
      default:
        throw FileError(.open, path, code: -result)
      }
    }
  }

  /// Between 1 and `limit` bytes; none at the end of the file.
  static func read(upTo limit: Int, from file: borrowing FileDescriptor, _ path: String) throws(FileError) -> [UInt8] {
    let descriptor = file.rawValue
    while true {
      var result = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        unsafe result = tapeline_read(descriptor, buffer.baseAddress, limit)
        count = max(0, result)
      }
      if result >= 0 { return bytes }
      guard result == -Int(EINTR) else { throw FileError(.read, path, code: Int32(-result)) }
    }
  }

  /// All of `bytes`.
  ///
  /// - Parameter descriptor: of a file that stays open meanwhile.
  static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(FileError) {
    var written = 0
    while written < bytes.count {
      let result = unsafe bytes.withUnsafeBytes {
        unsafe tapeline_write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
      }
      if result >= 0 {
        written += result
      } else if result != -Int(EINTR) {
        throw FileError(.write, path, code: Int32(-result))
      }
    }
  }

  /// Ends the use of a file; some file systems say only now that what was written did not fit.
  static func close(_ file: consuming FileDescriptor, _ path: String) throws(FileError) {
    do throws(SystemCallError) {
      try file.close()
    } catch {
      throw FileError(.close, path, code: error.code)
    }
  }

  /// Cuts the file after `length` bytes and puts the position there.
  static func truncate(_ file: borrowing FileDescriptor, to length: UInt64, _ path: String) throws(FileError) {
    let result = tapeline_ftruncate(file.rawValue, Int(clamping: length))
    guard result >= 0 else { throw FileError(.truncate, path, code: -result) }
    guard lseek(file.rawValue, 0, SEEK_END) >= 0 else { throw FileError(.truncate, path, code: errno) }
  }

  /// The size of an open file.
  static func size(of file: borrowing FileDescriptor, _ path: String) throws(FileError) -> UInt64 {
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else { throw FileError(.inspect, path, code: errno) }
    return UInt64(clamping: status.st_size)
  }

  static func status(of path: String) throws(FileError) -> Status {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw FileError(.inspect, path, code: errno) }
    return Status(size: UInt64(clamping: status.st_size), isDirectory: status.st_mode & S_IFMT == S_IFDIR)
  }

  /// Removes a file, or the link to one; answers whether there was one.
  @discardableResult
  static func remove(_ path: String) throws(FileError) -> Bool {
    if unsafe unlink(path) == 0 { return true }
    let code = errno
    guard code == ENOENT else { throw FileError(.remove, path, code: code) }
    return false
  }

  /// Removes a file, the link to one, or a directory with all that is in it; nothing, if nothing is there.
  static func removeTree(_ path: String) throws(FileError) {
    do throws(FileError) {
      try remove(path)
    } catch  where error.code == EISDIR {
      for name in try names(in: path) { try removeTree("\(path)/\(name)") }
      guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw FileError(.remove, path, code: errno) }
    }
  }

  /// What is in a directory.
  private static func names(in path: String) throws(FileError) -> [String] {
    guard let directory = unsafe opendir(path) else { throw FileError(.remove, path, code: errno) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes the directory and those above it that are missing.
  static func makeDirectories(_ path: String) throws(FileError) {
    if unsafe mkdir(path, 0o777) == 0 { return }
    let code = errno
    switch code {
    case EEXIST:
      guard try status(of: path).isDirectory else { throw FileError(.makeDirectory, path, code: ENOTDIR) }
    case ENOENT:
      guard let end = path.lastIndex(of: "/"), end > path.startIndex else {
        throw FileError(.makeDirectory, path, code: code)
      }
      try makeDirectories(String(path[..<end]))
      // Another thread may have been faster.
      if unsafe mkdir(path, 0o777) != 0, errno != EEXIST { throw FileError(.makeDirectory, path, code: errno) }
    default:
      throw FileError(.makeDirectory, path, code: code)
    }
  }

  /// Gives the file a second name, if that name is free.
  static func link(_ source: String, _ destination: String) throws(FileError) {
    guard unsafe Glibc.link(source, destination) == 0 else { throw FileError(.move, destination, code: errno) }
  }

  /// Gives the file another name, even one that is taken.
  static func rename(_ source: String, _ destination: String) throws(FileError) {
    guard unsafe Glibc.rename(source, destination) == 0 else { throw FileError(.move, destination, code: errno) }
  }

  /// Whether anything, a dangling link too, has this name.
  static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }
}
