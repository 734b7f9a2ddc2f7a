package import TapelineHAR

/// The exchanges of a HAR file, one after the other; memory holds one exchange and one piece of the file.
package struct Capture: ~Copyable {
  private var file: InputFile
  private var reader: HARReader
  private var isAtEnd = false

  /// Opens the file; `-` is standard input.
  ///
  /// - Parameter parts: what of each exchange is wanted; less is read faster.
  package init(path: String, parts: HAREntryParts = .all) throws(CaptureError) {
    self.init(try InputSource.open(path), parts: parts)
  }

  /// Begins at the start.
  package init(_ source: InputSource, parts: HAREntryParts = .all) {
    file = InputFile(source)
    reader = HARReader(parts: parts)
  }

  /// Reads no more than this of the exchanges that follow.
  package mutating func limit(to parts: HAREntryParts) {
    reader.limit(to: parts)
  }

  /// Reads whole characters of each body's text within so many bytes in the exchanges that follow.
  package mutating func limit(bodiesTo size: Int) {
    reader.limit(bodiesTo: size)
  }

  /// How much of the file has been read, from 0 to 1; `nil` when nobody knows how long it is.
  package var progress: Double? { file.progress }

  /// The next exchange in the order of the file; `nil` at its end.
  ///
  /// A damaged file yields what comes before the damage, then throws.
  package mutating func next() throws(CaptureError) -> HAREntry? {
    while let event = try nextEvent() {
      if case .entry(let entry) = event { return entry }
    }
    return nil
  }

  /// The next exchange, page or other member in the order of the file; `nil` at its end.
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
