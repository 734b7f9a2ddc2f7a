internal import FoundationEssentials
internal import TapelineLoop
internal import TapelineSystem

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
