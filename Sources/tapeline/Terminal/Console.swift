internal import Glibc
internal import TapelineInspect

/// What the program says to people, on stderr; stdout is for results.
enum Console {
  /// Writes `tapeline: <message>` as one line.
  ///
  /// Messages quote addresses, paths and causes, so nothing in them may drive the terminal. A stderr that cannot be written to
  /// leaves nobody to tell, so that failure alone is dropped.
  static func say(_ message: String) {
    _ = writeAll(Array("tapeline: \(message.printable)\n".utf8), to: STDERR_FILENO)
  }
}
