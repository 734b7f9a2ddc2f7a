internal import TapelineLoop
internal import TapelineSystem

/// Moves a file to a name that must be free, across file systems too. Blocks.
enum FileMove {
  private static let pieceSize = 256 * 1024
  /// The errors of a file system that does not support links, or has no room for another link.
  private static let linkless = [
    ErrorCode.notPermitted, ErrorCode.notSupported, ErrorCode.notImplemented, ErrorCode.tooManyLinks,
  ]

  static func move(_ source: String, to destination: String) throws(FileError) {
    do throws(FileError) {
      try rename(source, toFree: destination)
    } catch  where error.code == ErrorCode.otherFileSystem {
      try moveByCopy(source, to: destination)
    }
  }

  /// Adds a link and removes the old name, rather than `rename`: a link never replaces a file that appeared in the meantime.
  private static func rename(_ source: String, toFree destination: String) throws(FileError) {
    do throws(FileError) {
      try FileCalls.link(source, destination)
    } catch  where linkless.contains(error.code) {
      // The file system does not support links.
      guard !FileCalls.isTaken(destination) else { throw FileError(.move, destination, code: ErrorCode.exists) }
      return try FileCalls.rename(source, destination)
    }
    try FileCalls.remove(source)
  }

  /// Copies to a file next to the destination and renames the copy, so that the destination is complete or absent.
  static func moveByCopy(_ source: String, to destination: String) throws(FileError) {
    let copy = "\(destination).\(TemporaryFile.randomName())"
    do throws(FileError) {
      try self.copy(source, to: copy)
      try rename(copy, toFree: destination)
    } catch {
      TemporaryFile.discard(copy)
      throw error
    }
    try FileCalls.remove(source)
  }

  private static func copy(_ source: String, to copy: String) throws(FileError) {
    let input = try FileCalls.open(source, .readOnly)
    do throws(FileError) {
      let output = try FileCalls.open(copy, [.writeOnly, .create, .exclusive])
      do throws(FileError) {
        while true {
          let bytes = try FileCalls.read(upTo: pieceSize, from: input, source)
          if bytes.isEmpty { break }
          try FileCalls.write(bytes, to: output.rawValue, copy)
        }
      } catch {
        output.discard()
        throw error
      }
      try FileCalls.close(output, copy)
    } catch {
      input.discard()
      throw error
    }
    input.discard()
  }
}
