internal import TapelineHAR
internal import TapelineSystem

/// The end of a log that a recorder is writing, as it was at one moment, so that a reader sees one state of the file.
///
/// Each write puts entries and a new end over the old end. A reader that has the old end and then new entries has no log. But
/// entries never change once they are written: a reader that takes the end first, and then what is before it, has one moment.
struct RecordedTail: Sendable {
  /// Where in the file it begins: at the start of a line.
  let offset: Int
  let bytes: [UInt8]

  /// More than one write, as a rule: then its entries are among what is checked.
  private static let usualSize = 256 << 10
  private static let largestSize = 8 << 20
  /// A write takes far less than a millisecond. On a busy machine, the recorder may wait in the middle of one for its processor.
  private static let attempts = 5_000
  /// So often in a row a file that is being written does not look like one of another program.
  private static let foreignAttempts = 20
  /// How the files of our recorder begin.
  private static let opening = Array(#"{"log":{"version":"1.2","creator":{"name":"tapeline","#.utf8)

  /// - Parameters:
  ///   - descriptor: of a file that somebody has locked, most often our recorder.
  ///   - pause: between two attempts; a millisecond.
  /// - Returns: `nil` if the file has another end than our recorder writes.
  init?(of descriptor: Int32, pause: () -> Void = { SystemThread.sleep(for: .milliseconds(1)) }) {
    let isOurs = Self.isOurs(descriptor)
    var foreign = 0
    for _ in 0..<Self.attempts where isOurs || foreign < Self.foreignAttempts {
      switch Self.read(descriptor) {
      case .whole(let tail):
        self = tail
        return
      case .foreign: foreign += 1
      case .torn: foreign = 0
      }
      pause()
    }
    return nil
  }

  private static func isOurs(_ descriptor: Int32) -> Bool {
    do throws(SystemCallError) {
      var bytes = [UInt8](repeating: 0, count: opening.count)
      return try SystemCalls.read(descriptor, at: 0, into: &bytes, from: 0) == bytes.count && bytes == opening
    } catch {
      return false
    }
  }

  private enum Reading {
    case whole(RecordedTail)
    /// Something was written meanwhile.
    case torn
    /// It has no end as our recorder writes it; or two writes have met.
    case foreign
  }

  private init(offset: Int, bytes: [UInt8]) {
    self.offset = offset
    self.bytes = bytes
  }

  private static func read(_ descriptor: Int32) -> Reading {
    var size = usualSize
    while size <= largestSize {
      guard let (offset, bytes) = end(of: descriptor, size) else { return .torn }
      if let tail = cut(bytes, at: offset) { return tail.isWhole ? .whole(tail) : .torn }
      guard offset > 0 else { return .foreign }
      size *= 2
    }
    return .foreign
  }

  private static func end(of descriptor: Int32, _ limit: Int) -> (offset: Int, bytes: [UInt8])? {
    do throws(SystemCallError) {
      let size = try SystemCalls.status(of: descriptor).size
      let offset = max(0, size - limit)
      var bytes = [UInt8](repeating: 0, count: size - offset)
      var filled = 0
      while filled < bytes.count {
        let count = try SystemCalls.read(descriptor, at: offset + filled, into: &bytes, from: filled)
        guard count > 0 else { return nil }
        filled += count
      }
      guard !bytes.isEmpty, try SystemCalls.status(of: descriptor).size == size else { return nil }
      return (offset, bytes)
    } catch {
      return nil
    }
  }

  /// The bytes from the first entry on that begins among them; `nil` if not even the end of the entries is among them.
  private static func cut(_ bytes: [UInt8], at offset: Int) -> RecordedTail? {
    let lineFeed = UInt8(ascii: "\n")
    // Inside of JSON values are no line breaks: a bracket after one ends the entries.
    guard let close = bytes.indices.dropLast().last(where: { bytes[$0] == lineFeed && bytes[$0 + 1] == UInt8(ascii: "]") }) else {
      return nil
    }
    // The line that a piece of the file begins with may have begun before.
    let first = bytes[..<close].firstIndex(of: lineFeed) ?? close
    return RecordedTail(offset: offset + first, bytes: Array(bytes[first...]))
  }

  /// Whether the entries and the end are a log behind another entry, or without one.
  private var isWhole: Bool {
    let hasEntry = bytes.first { $0 != UInt8(ascii: "\n") } != UInt8(ascii: "]")
    var reader = HARElementReader()
    reader.feed(Array(#"{"log":{"entries":["#.utf8).span)
    reader.feed(bytes.span)
    reader.finish()
    do throws(HARReadError) {
      var count = 0
      while let element = try reader.next() {
        _ = try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HARValue(odd: bytes) }
        count += 1
      }
      return count > 0 || !hasEntry
    } catch {
      return false
    }
  }
}
