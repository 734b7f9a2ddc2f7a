internal import Glibc
internal import TapelineInspect

/// What the program says to people, on stderr; stdout is for results.
enum Console {
  /// Writes `tapeline: <message>` as one line.
  ///
  /// Messages quote addresses, paths and causes, so nothing in them may drive the terminal. A stderr that cannot be written to
  /// leaves nobody to tell, so that failure alone is dropped.
  static func say(_ message: String) {
    write("tapeline: \(message.printable)\n")
  }

  /// Writes a message, and below it what it is about with a caret under the place.
  static func say(_ message: String, excerpt: [String]) {
    write("tapeline: \(message.printable)\n" + excerpt.map { "\($0.printable)\n" }.joined())
  }

  private static func write(_ text: String) {
    _ = writeAll(Array(text.utf8), to: STDERR_FILENO)
  }
}
