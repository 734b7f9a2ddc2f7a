package import TapelineHAR
internal import TapelineSystem

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
  ///
  /// - Parameter isExact: whether the log is to be written again, with all that it has and nothing else: then there are warnings,
  ///   and what is read remembers what it lacks.
  package init(_ source: InputSource, parts: HAREntryParts = .all, isExact: Bool = false) {
    file = InputFile(source)
    reader = HARReader(parts: parts, reportsWarnings: isExact)
  }

  /// Reads only these parts of the exchanges that follow.
  package mutating func limit(to parts: HAREntryParts) {
    reader.limit(to: parts)
  }

  /// In the exchanges that follow, reads at most `size` bytes of each body's text, unless a report needs all of it.
  package mutating func limit(bodiesTo size: Int) {
    reader.limit(bodiesTo: size) { ReportRow.Meaning.isInBodies(of: $0) }
  }

  /// How much of the file has been read, from 0 to 1; `nil` when its length is unknown.
  package var progress: Double? { file.progress }

  /// The bytes of the text, decompressed, that hold the last exchange.
  package var entryRange: Range<Int> { reader.entryRange }

  /// The next exchange in file order; `nil` at the end of the file. One that cannot be read is passed over.
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
      guard try readMore() else { return nil }
    }
  }

  /// The figures of the next exchange; `nil` if it is not ordinary, or if nothing of it has been read yet: then `next` goes on.
  ///
  /// The parts to read are `figures` at most.
  package mutating func nextFigures() throws(CaptureError) -> ScannedEntry? {
    while true {
      if let figures = try readFigures() { return figures }
      guard reader.isInsideEntry, try readMore() else { return nil }
    }
  }

  /// Feeds the reader; `false` after the end of the file.
  private mutating func readMore() throws(CaptureError) -> Bool {
    guard !isAtEnd else { return false }
    try file.checkPacking(of: reader.heldCount)
    if try file.read() {
      file.withPiece { reader.feed($0) }
    } else {
      reader.finish()
      isAtEnd = true
    }
    return true
  }

  private mutating func readFigures() throws(CaptureError) -> ScannedEntry? {
    do throws(HARReadError) {
      return try reader.nextFigures()
    } catch {
      throw file.captureError(for: error)
    }
  }

  /// Whether an array of pages has begun.
  fileprivate var hasPages: Bool { reader.hasPages }

  private mutating func readEvent() throws(CaptureError) -> HARReader.Event? {
    do throws(HARReadError) {
      return try reader.next()
    } catch {
      throw file.captureError(for: error)
    }
  }
}

/// Some exchanges of a HAR by their numbers, in file order. Other exchanges before the last one are skipped unread, and
/// nothing after the last one is read.
package struct NumberedExchanges: ~Copyable {
  private let ranges: [ClosedRange<Int>]
  private let last: Int
  private var file: InputFile
  private var reader = HARElementReader()
  private var isAtEnd = false
  /// Exchanges passed so far, whether given or skipped.
  package private(set) var count = 0
  /// Those of the wanted exchanges that could not be read.
  package private(set) var unreadable: [(number: Int, error: HARReadError)] = []

  /// - Parameter ranges: numbers from 1, in any order.
  package init(_ ranges: [ClosedRange<Int>], in source: InputSource) {
    self.ranges = ranges
    last = ranges.map(\.upperBound).max() ?? 0
    file = InputFile(source)
  }

  /// The next of these exchanges that the file has; `nil` after the last.
  package mutating func next() throws(CaptureError) -> (number: Int, entry: HAREntry)? {
    while count < last {
      if let found = try readNext() { return found }
      guard !isAtEnd else { return nil }
      try file.checkPacking(of: reader.heldCount)
      if try file.read() {
        file.withPiece { reader.feed($0) }
      } else {
        reader.finish()
        isAtEnd = true
      }
    }
    return nil
  }

  /// `nil` when more bytes are needed, or after the last exchange.
  private mutating func readNext() throws(CaptureError) -> (number: Int, entry: HAREntry)? {
    do throws(HARReadError) {
      while count < last, let element = try reader.next() {
        guard case .entry = element.kind else { continue }
        count += 1
        guard ranges.contains(where: { $0.contains(count) }) else { continue }
        do throws(HARReadError) {
          return (count, try reader.withBytes(of: element) { (bytes) throws(HARReadError) in try HAREntry(exact: bytes) })
        } catch {
          unreadable.append((count, HARReadError(kind: error.kind, offset: element.range.lowerBound + error.offset)))
        }
      }
      return nil
    } catch {
      throw file.captureError(for: error)
    }
  }
}

/// The content of a log besides its entries.
package enum CaptureHeader {
  /// The header for a log that has none.
  package static var unknown: HARLog { HARLog(version: "1.2", creator: HARCreator(name: "unknown", version: "")) }

  /// Reads the whole file, since pages may come after the entries. The log remembers what it lacks.
  package static func read(_ source: InputSource) throws(CaptureError) -> HARLog {
    var log = unknown
    var capture = Capture(source, parts: .overview, isExact: true)
    log.lacking = ["version", "creator", "pages"]
    while let event = try capture.nextEvent() {
      switch event {
      case .entry, .warning, .unreadable: continue
      case .version: log.lacking.remove("version")
      case .creator: log.lacking.remove("creator")
      case .member(let member): log.lacking.remove(member.name)
      case .browser, .comment, .page, .beside: break
      }
      log.take(event)
    }
    if capture.hasPages { log.lacking.remove("pages") }
    return log
  }
}

/// Why a file cannot be read as a HAR.
package enum CaptureError: Error, Hashable {
  /// A system call failed with this `errno`.
  case system(code: Int32)
  case malformed(HARReadError)
  /// The file is something else; `compression` names its compression, as in `gzip`.
  case foreign(ForeignContent, in: String?)
  /// The compressed data is damaged or cut off; the data before the damage was read.
  case undecodable(String)
  /// tapeline cannot record into such a file, so it cannot be followed.
  case notGrowing(String)
  /// So many bytes of a compressed file unpack to one value of this size.
  case overpacked(size: Int, from: Int)
  /// A source that must be read more than once cannot be kept in a temporary file.
  case notKept(directory: String, reason: String)
}

extension CaptureError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let code): SystemCallError.text(of: code)
    case .malformed(let error): error.description
    case .foreign(let content, in: nil): "it is \(content.name), not a HAR"
    case .foreign(let content, in: let compression?): "it is a \(compression) file of \(content.name), not a HAR"
    case .undecodable(let reason): "damaged compressed data, \(reason)"
    case .overpacked(let size, let place):
      "\(ByteCountText.long(place)) of compressed data unpack to one value of more than \(ByteCountText.long(size))"
    case .notGrowing(let what): "it is \(what), and no recording writes to it"
    case .notKept(let directory, let reason): "it cannot be kept in \(directory) to be read again: \(reason)"
    }
  }
}

extension CaptureError {
  /// The same for a failed system call.
  init(_ error: SystemCallError) {
    self = .system(code: error.code)
  }

  /// Runs code that makes system calls, and turns their errors into capture errors.
  static func rethrowing<Result: ~Copyable>(
    _ body: () throws(SystemCallError) -> Result
  ) throws(CaptureError) -> Result {
    do throws(SystemCallError) {
      return try body()
    } catch {
      throw CaptureError(error)
    }
  }
}
