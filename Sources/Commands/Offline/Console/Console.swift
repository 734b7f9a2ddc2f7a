internal import TapelineInspect
internal import TapelineSystem

/// Messages for people, on stderr; stdout is for results.
package enum Console {
  /// Writes `tapeline: <message>` as one line.
  ///
  /// Messages quote addresses, paths and causes, so nothing in them may drive the terminal. A stderr that cannot be written to
  /// leaves nobody to tell, so that failure alone is dropped.
  package static func say(_ message: String) {
    write("tapeline: \(message.printable)\n")
  }

  /// Writes a message, and below it an excerpt with a caret under the place.
  package static func say(_ message: String, excerpt: [String]) {
    write("tapeline: \(message.printable)\n" + excerpt.map { "\($0.printable)\n" }.joined())
  }

  /// Writes text as it is; the text may drive the terminal.
  package static func write(_ text: String) {
    do throws(SystemCallError) {
      try SystemCalls.writeAll(Array(text.utf8).span, to: StandardStream.error)
    } catch {
      // There is nobody to tell.
    }
  }
}
