internal import Glibc
internal import TapelineDigest
internal import TapelineFiles
internal import TapelineHAR

/// Bodies as files of their own, named by the hash of what they hold: equal bodies are one file.
///
/// Owned by the recorder's thread. A file is made under another name and renamed when it is whole: a kill leaves no half of one
/// under its own name.
struct BodyStore {
  private let directory: String
  /// From the HAR's directory to this one, with a slash at the end; empty when they are the same.
  private let prefix: String
  private let syncs: Bool

  /// Makes the directory if there is none.
  init(directory: String, besideHAR path: String, syncs: Bool) throws(RecorderError) {
    if unsafe mkdir(directory, 0o700) != 0, errno != EEXIST { throw .cannotUseBodies(path: directory, code: errno) }
    do throws(PrivateFileError) {
      try PrivateFile.checkDirectory(directory, isClosed: false)
    } catch .system(let code) {
      throw .cannotUseBodies(path: directory, code: code)
    } catch {
      throw .notPrivate(path: directory, error)
    }
    let absolute = try Self.realPath(of: directory)
    self.directory = absolute
    let name = path.lastIndex(of: "/")
    let parent = name.map { String(path[...$0]) } ?? "."
    prefix = RelativePath.from(try Self.realPath(of: parent), to: absolute)
    self.syncs = syncs
    guard unsafe access(absolute, W_OK | X_OK) == 0 else { throw .cannotUseBodies(path: directory, code: errno) }
  }

  /// Makes sure that there is a file with these bytes, and returns its path from the HAR's directory.
  func store(_ bytes: Span<UInt8>) throws(RecorderError) -> String {
    let name = MessageDigest.sha256.hexadecimal(of: bytes)
    let path = "\(directory)/\(name)"
    var status = stat()
    let isThere = unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size == bytes.count
    if !isThere { try write(bytes, to: path) }
    return prefix + name
  }

  private func write(_ bytes: Span<UInt8>, to path: String) throws(RecorderError) {
    let (temporaryPath, descriptor) = try draft(of: path)
    var code = FileOutput.write(bytes, to: descriptor)
    if code == 0, syncs, fdatasync(descriptor) != 0 { code = errno }
    _ = close(descriptor)
    if code == 0, unsafe rename(temporaryPath, path) != 0 { code = errno }
    guard code == 0 else {
      _ = unsafe unlink(temporaryPath)
      throw .writeFailed(path: directory, code: code)
    }
  }

  private func draft(of path: String) throws(RecorderError) -> (path: String, descriptor: Int32) {
    do throws(PrivateFileError) {
      return try PrivateFile.draft(of: path)
    } catch .system(let code) {
      throw .writeFailed(path: directory, code: code)
    } catch {
      throw .notPrivate(path: directory, error)
    }
  }

  private static func realPath(of path: String) throws(RecorderError) -> String {
    guard let resolved = unsafe realpath(path, nil) else { throw .cannotUseBodies(path: path, code: errno) }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}

/// The way from one directory to another.
enum RelativePath {
  /// Both are absolute and without links. With a slash at the end; empty when they are the same.
  static func from(_ start: String, to end: String) -> String {
    let from = start.split(separator: "/")
    let to = end.split(separator: "/")
    var common = 0
    while common < min(from.count, to.count), from[common] == to[common] { common += 1 }
    let ways = Array(repeating: "..", count: from.count - common) + to[common...].map(String.init)
    return ways.map { "\($0)/" }.joined()
  }
}
