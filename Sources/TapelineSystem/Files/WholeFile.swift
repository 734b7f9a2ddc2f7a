internal import Glibc

/// Reads and writes small files as a whole.
package enum WholeFile {
  private static let pieceSize = 64 << 10

  /// - Throws: `EFBIG` for a file of more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    let descriptor = try SystemCalls.open(path)
    defer { SystemCalls.discard(descriptor) }
    return try read(descriptor, limit: limit)
  }

  /// The remaining bytes of an open file.
  ///
  /// - Throws: `EFBIG` if they are more than `limit` bytes.
  package static func read(_ descriptor: Int32, limit: Int) throws(SystemCallError) -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try SystemCalls.read(descriptor, upTo: limit < pieceSize ? limit + 1 : pieceSize), !piece.isEmpty {
      bytes += piece
      guard bytes.count <= limit else { throw SystemCallError(code: EFBIG, call: .read) }
    }
    return bytes
  }

  /// The first bytes of a file, at most `limit`; of a pipe, the bytes that arrive first.
  package static func readStart(_ path: String, limit: Int) throws(SystemCallError) -> [UInt8] {
    let descriptor = try SystemCalls.open(path)
    defer { SystemCalls.discard(descriptor) }
    return try SystemCalls.read(descriptor, upTo: limit) ?? []
  }

  /// Writes a complete file under its name, and replaces an existing file of ours.
  package static func write(
    _ bytes: [UInt8], to path: String, mode: UInt32 = PrivateFile.mode
  ) throws(PrivateFileError) {
    try PrivateFile.checkReplaceable(path)
    let draft = try FileDraft(of: path)
    do throws(SystemCallError) {
      try draft.write(bytes.span)
      try draft.replace(mode: mode)
    } catch {
      throw .system(error.code)
    }
  }
}
