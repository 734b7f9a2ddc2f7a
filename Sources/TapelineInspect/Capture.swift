package import TapelineHAR

/// The exchanges of a HAR file, one by one; memory holds one exchange and one piece of the file.
package struct Capture: ~Copyable {
  private var file: InputFile
  private var reader: HARReader
  private var isAtEnd = false

  /// Opens the file; `-` is standard input.
  ///
  /// - Parameter parts: the parts of each exchange to read; fewer parts are read faster.
  package init(path: String, parts: HAREntryParts = .all) throws(CaptureError) {
    self.init(try InputSource.open(path), parts: parts)
  }

  /// Reads from the start.
  package init(_ source: InputSource, parts: HAREntryParts = .all) {
    file = InputFile(source)
    reader = HARReader(parts: parts)
  }

  /// Reads only these parts of the exchanges that follow.
  package mutating func limit(to parts: HAREntryParts) {
    reader.limit(to: parts)
  }

  /// In the exchanges that follow, reads at most `size` bytes of each body's text, in whole characters.
  package mutating func limit(bodiesTo size: Int) {
    reader.limit(bodiesTo: size)
  }

  /// How much of the file has been read, from 0 to 1; `nil` when its length is unknown.
  package var progress: Double? { file.progress }

  /// The next exchange in file order; `nil` at the end of the file.
  ///
  /// A damaged file yields the exchanges before the damage, then throws.
  package mutating func next() throws(CaptureError) -> HAREntry? {
    while let event = try nextEvent() {
      if case .entry(let entry) = event { return entry }
    }
    return nil
  }

  /// The next exchange, page or other member in file order; `nil` at the end of the file.
  package mutating func nextEvent() throws(CaptureError) -> HARReader.Event? {
    while true {
      if let event = try readEvent() { return event }
      guard !isAtEnd else { return nil }
      if try file.read() {
        file.withPiece { reader.feed($0) }
      } else {
        reader.finish()
        isAtEnd = true
      }
    }
  }

  private mutating func readEvent() throws(CaptureError) -> HARReader.Event? {
    do throws(HARReadError) {
      return try reader.next()
    } catch {
      throw file.captureError(for: error)
    }
  }
}
