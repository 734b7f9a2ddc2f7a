internal import TapelineCore
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineText

/// What the live page knows of the capture: where its entries are on the disk, and what is in flight. Used on the page's thread.
///
/// Entries have numbers from 1 on, across the files of a rotation; the first is that of the file that was current when somebody
/// first looked.
struct LiveCapture {
  /// The latest.
  private var files: [LiveFile] = []
  /// Files of the capture before the latest that was seen.
  private var finishedCount = 0
  /// The rows of the exchanges in flight: a JSON array.
  private(set) var flight = Array("[]".utf8)
  /// Their entries without bodies, and the numbers of the exchanges.
  private var tail: SnapshotSource.Tail?
  /// The facts about the log, as JSON.
  private(set) var header: [UInt8] = []
  private var closing: [UInt8] = []
  /// They change when `flight` or `header` does.
  private(set) var flightVersion = 0
  private(set) var headerVersion = 0
  private var lastRows: Rows?

  private struct Rows {
    let numbers: Range<Int>
    let bytes: [UInt8]
  }

  /// Descriptors that are held at most.
  private static let mostFiles = 16
  /// Rows of exchanges in flight that a page is told at most.
  private static let mostInFlight = 500
  /// From this size on a piece of rows goes out.
  private static let rowsSize = 48 << 10
  /// Or from so many bytes of entries on: those of bodies are read with them.
  private static let entriesSize = 1 << 20

  var firstNumber: Int { files.first?.firstNumber ?? 1 }
  var nextNumber: Int { files.last?.nextNumber ?? 1 }

  /// Takes the state of the capture at a moment.
  mutating func update(_ source: borrowing SnapshotSource, _ report: LiveReport) {
    do throws(SystemCallError) {
      try follow(source)
    } catch {
      // The next look tries again.
    }
    if closing != source.tail.closing {
      closing = source.tail.closing
      header = Self.header(closing, report)
      headerVersion += 1
    }
    let rows = Self.rows(of: source.tail)
    if flight != rows {
      flight = rows
      tail = source.tail
      flightVersion += 1
    }
  }

  private mutating func follow(_ source: borrowing SnapshotSource) throws(SystemCallError) {
    if files.isEmpty {
      files = [try LiveFile(of: source.descriptor, firstNumber: 1)]
      finishedCount = source.finished.count
    }
    while finishedCount < source.finished.count {
      let finished = source.finished[finishedCount]
      files[files.count - 1].finish(at: finished.textEnd, entries: Int(finished.entryCount))
      files.append(
        finishedCount + 1 == source.finished.count
          ? try LiveFile(of: source.descriptor, firstNumber: nextNumber)
          : try LiveFile(path: source.finished[finishedCount + 1].path, firstNumber: nextNumber))
      finishedCount += 1
      if files.count > Self.mostFiles { files.removeFirst() }
    }
    files[files.count - 1].grow(to: source.textEnd, entries: Int(source.entryCount))
  }

  /// The facts about the log, by its end.
  private static func header(_ closing: [UInt8], _ report: LiveReport) -> [UInt8] {
    do throws(HARReadError) {
      var log = try HARLog(json: Array("{\"log\":{\"entries\":[".utf8) + closing)
      log.creator = HARCreator(name: "tapeline", version: report.version)
      return report.header(of: log).json
    } catch {
      preconditionFailure("what the recorder writes can be read: \(error)")
    }
  }

  private static func rows(of tail: SnapshotSource.Tail) -> [UInt8] {
    var rows = JSONWriter()
    rows.append(byte: UInt8(ascii: "["))
    for (exchange, range) in tail.places.suffix(mostInFlight) {
      append(rowOf: tail.entries.span.extracting(range), number: -Int(exchange), to: &rows)
    }
    rows.append(byte: UInt8(ascii: "]"))
    return rows.bytes
  }

  /// Rows from `number` on, as a JSON array, and the number after them; `nil` if there are none yet.
  mutating func rows(from number: Int) -> (bytes: [UInt8], next: Int)? {
    let first = max(number, firstNumber)
    guard first < nextNumber else { return nil }
    // Readers that keep up want the same rows.
    if let lastRows, lastRows.numbers.lowerBound == first { return (lastRows.bytes, lastRows.numbers.upperBound) }
    var rows = JSONWriter(capacity: 2 * Self.rowsSize)
    rows.append(byte: UInt8(ascii: "["))
    var next = first
    var size = 0
    while next < nextNumber, rows.count < Self.rowsSize, size < Self.entriesSize {
      withEntry(next) { entry in
        Self.append(rowOf: entry, number: next, to: &rows)
        size += entry.count
      }
      next += 1
    }
    rows.append(byte: UInt8(ascii: "]"))
    lastRows = Rows(numbers: first..<next, bytes: rows.bytes)
    return (rows.bytes, next)
  }

  /// The entry as JSON; `nil` if it is not there.
  func entry(_ number: Int) -> [UInt8]? {
    withEntry(number) { [UInt8](copying: $0) }
  }

  /// Lends the entry as JSON. Returns `nil` if it is not there.
  @discardableResult
  func withEntry<Result>(_ number: Int, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let file = files.last(where: { $0.firstNumber <= number }) else { return nil }
    do throws(SystemCallError) {
      return try file.withEntry(number, body)
    } catch {
      return nil
    }
  }

  /// Calls `body` with each exchange in flight, and its entry without bodies as JSON.
  func forEachInFlight(_ body: (_ exchange: UInt64, _ entry: Span<UInt8>) -> Void) {
    guard let tail else { return }
    for (exchange, range) in tail.places.suffix(Self.mostInFlight) { body(exchange, tail.entries.span.extracting(range)) }
  }

  /// Leaves out what cannot be read: somebody else has written to the file.
  private static func append(rowOf entry: Span<UInt8>, number: Int, to rows: inout JSONWriter) {
    let start = rows.count
    if start > 1 { rows.append(byte: UInt8(ascii: ",")) }
    do throws(HARReadError) {
      try LiveReport.append(rowOf: entry, number: number, to: &rows)
    } catch {
      rows.truncate(to: start)
    }
  }
}
