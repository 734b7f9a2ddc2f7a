internal import FoundationEssentials
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

/// Files that last as long as a request: only their owner can read them, and nobody can predict their names.
enum TemporaryFile {
  /// The system's directory for such files.
  static var directory: String {
    let path = FileManager.default.temporaryDirectory.path
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// A free name in `directory`.
  ///
  /// - Parameter suffix: the end of the name, which says what the file is for.
  static func path(in directory: String = Self.directory, suffix: String) -> String {
    "\(directory)/tapeline-\(randomName()).\(suffix)"
  }

  /// Whether `path` could be such a name. A path from stored data that could not be one must not be written to.
  static func isPath(_ path: String, suffix: String) -> Bool {
    guard path.hasPrefix("/"), !path.utf8.contains(0), let slash = path.lastIndex(of: "/") else { return false }
    let name = path[path.index(after: slash)...]
    return name.hasPrefix("tapeline-") && name.hasSuffix("." + suffix)
  }

  /// Makes the file and opens it for writing.
  static func open(_ path: String) throws(FileError) -> FileDescriptor {
    try FileCalls.open(path, [.writeOnly, .create, .exclusive, .noFollow])
  }

  /// Sixteen hexadecimal digits.
  static func randomName() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Removes a file that is no longer needed. A file that cannot be removed stays, as nothing can be done about it.
  static func discard(_ path: String) {
    SystemCalls.removeIfPossible(path)
  }
}
