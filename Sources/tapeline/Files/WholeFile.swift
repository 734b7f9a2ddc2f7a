internal import CTapeline
internal import Glibc
internal import TapelineFiles

/// Small files, read and written whole.
enum WholeFile {
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = unsafe tapeline_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { throw FileError(code: -descriptor) }
    defer { _ = tapeline_close(descriptor) }
    return try read(descriptor, limit: limit)
  }

  /// The rest of an open file.
  static func read(_ descriptor: Int32, limit: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = unsafe piece.withUnsafeMutableBytes { unsafe tapeline_read(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else { throw FileError(code: Int32(-count)) }
      guard count > 0 else { return bytes }
      bytes += piece.prefix(count)
      guard bytes.count <= limit else { throw FileError(code: EFBIG) }
    }
  }

  /// Writes a file that appears under its name whole, in place of one of ours that is there.
  static func write(_ bytes: [UInt8], to path: String, mode: mode_t = PrivateFile.mode) throws(PrivateFileError) {
    try PrivateFile.checkReplaceable(path)
    let (draft, descriptor) = try PrivateFile.draft(of: path)
    var cause = writeAll(bytes, to: descriptor)
    if cause == 0, fchmod(descriptor, mode) != 0 { cause = errno }
    let closing = -tapeline_close(descriptor)
    if cause == 0 { cause = closing }
    if cause == 0, unsafe rename(draft, path) != 0 { cause = errno }
    guard cause == 0 else {
      _ = unsafe unlink(draft)
      throw .system(cause)
    }
  }

  static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}

/// An `errno` of the file system.
struct FileError: Error, Hashable, CustomStringConvertible {
  let code: Int32

  var description: String { systemErrorText(code) }
}
