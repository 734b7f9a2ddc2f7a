internal import TapelineCore
internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineBase

/// The live page's view of the capture: where its entries are on the disk, and what is in flight. Used on the page's thread.
struct LiveCapture {
  private var files = LiveFiles()
  /// The rows of the exchanges in flight: a JSON array.
  private(set) var flight = Array("[]".utf8)
  /// Their entries without bodies, and the numbers of the exchanges.
  private var tail: SnapshotSource.Tail?
  /// The facts about the log, as JSON.
  private(set) var header: [UInt8]
  private var closing: [UInt8] = []
  /// The figures of what waits for the disk, as JSON: zeros while that is no news.
  private(set) var queue: [UInt8] = []
  /// They change when `flight` or `header` does.
  private(set) var flightVersion = 0
  private(set) var headerVersion = 0
  private(set) var queueVersion = 0
  private var lastRows: Rows?

  private struct Rows {
    let numbers: Range<Int>
    let bytes: [UInt8]
  }

  /// Rows of exchanges in flight that a page is told at most.
  private static let mostInFlight = 500
  /// From this size on a piece of rows goes out.
  private static let rowsSize = 48 << 10
  /// Or from so many bytes of entries on: those of bodies are read with them.
  private static let entriesSize = 1 << 20

  var firstNumber: Int { files.firstNumber }
  var nextNumber: Int { files.nextNumber }

  init(_ report: LiveReport) {
    header = report.header(of: HARLog(creator: HARCreator(name: "tapeline", version: report.version))).json
  }

  /// Less than this waits at any time.
  private static let usualQueue = 2 << 20

  /// - Parameter isStuck: whether the disk does not answer.
  mutating func note(_ backlog: RecorderBacklog, isStuck: Bool) {
    let isNews = isStuck && backlog.bytes > 0 || backlog.bytes > Self.usualQueue
    let figures = isNews ? [backlog.exchanges, backlog.bytes, backlog.limit, Int(backlog.droppedRecords)] : [0, 0, 0, 0]
    let json = Array(
      #"{"exchanges":\#(figures[0]),"bytes":\#(figures[1]),"limit":\#(figures[2]),"dropped":\#(figures[3])}"#.utf8)
    guard json != queue, isNews || queueVersion > 0 else { return }
    queue = json
    queueVersion += 1
  }

  /// Takes the state of the capture at a moment.
  mutating func update(_ source: borrowing SnapshotSource, _ report: LiveReport) {
    do throws(SystemCallError) {
      try files.follow(source)
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

  /// The first entry that is there from `number` on: its number, or `nextNumber` if there is none.
  func firstNumber(from number: Int) -> Int {
    files.numbers(from: number).first ?? nextNumber
  }

  /// Rows of the entries of one file, from `number` on, as a JSON array, and the number after them; `nil` if there are none yet.
  mutating func rows(from number: Int) -> (bytes: [UInt8], next: Int)? {
    let there = files.numbers(from: number)
    guard let first = there.first else { return nil }
    // Readers that keep up want the same rows.
    if let lastRows, lastRows.numbers.lowerBound == first { return (lastRows.bytes, lastRows.numbers.upperBound) }
    var rows = JSONWriter(capacity: 2 * Self.rowsSize)
    rows.append(byte: UInt8(ascii: "["))
    var next = first
    var size = 0
    while next < there.upperBound, rows.count < Self.rowsSize, size < Self.entriesSize {
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
    files.withEntry(number, body)
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
