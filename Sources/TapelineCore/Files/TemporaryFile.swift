internal import FoundationEssentials
internal import TapelineLoop
internal import TapelineSystem

/// Files for as long as a request lives: readable by their owner only, under names that nobody can foresee.
enum TemporaryFile {
  /// Where the system wants such files.
  static var directory: String {
    let path = FileManager.default.temporaryDirectory.path
    return path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// A name in `directory` that is free.
  ///
  /// - Parameter suffix: the end of the name, which says what the file is for.
  static func path(in directory: String = Self.directory, suffix: String) -> String {
    "\(directory)/tapeline-\(randomName()).\(suffix)"
  }

  /// Whether `path` could be such a name: what comes back from storage and is none shall not be written to.
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

  /// Removes a file that is no longer wanted; one that cannot be removed stays, as nothing could be done about it.
  static func discard(_ path: String) {
    SystemCalls.removeIfPossible(path)
  }
}
