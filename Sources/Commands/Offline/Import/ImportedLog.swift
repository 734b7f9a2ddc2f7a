internal import TapelineHAR
internal import TapelineRecorder
internal import TapelineRedaction
internal import TapelineTime

/// The HAR that an import writes, entry by entry.
struct ImportedLog: ~Copyable {
  private(set) var entryCount = 0
  private(set) var secretCount = 0
  private var entries: ObservedEntries
  private let target: OutputFile
  private var writer: HARWriter<CommandFailure>
  private let title: String
  private var earliest: MonotonicInstant?

  /// - Parameter source: what is imported, as the title of the log's page.
  init(_ settings: ImportSettings, of source: String) throws(CommandFailure) {
    let rules = try settings.rules()
    let target = try settings.target()
    entries = ObservedEntries(redactingBy: rules)
    self.target = target
    title = source
    let log = HARLog(creator: HARCreator(name: "tapeline", version: settings.version))
    writer = HARWriter(log, withPages: false) { (piece) throws(CommandFailure) in try target.write(piece) }
  }

  mutating func write(_ exchange: ImportedExchange) throws(CommandFailure) {
    var entry: HAREntry
    do throws(HARReadError) {
      entry = try entries.entry(of: exchange.record)
    } catch {
      preconditionFailure("an entry that was just written can be read: \(error)")
    }
    exchange.complete(&entry)
    secretCount += entry.custom[.redacted]?.integer ?? 0
    earliest = min(earliest ?? exchange.start, exchange.start)
    entryCount += 1
    try writer.write(entry)
  }

  /// Completes the file.
  consuming func finish() throws(CommandFailure) {
    let start = ImportedExchange.text(of: earliest ?? MonotonicInstant(nanoseconds: 0))
    let timings = HARPageTimings(onContentLoad: -1, onLoad: -1)
    try writer.finish(pages: [HARPage(startedDateTime: start, id: "page_1", title: title, pageTimings: timings)])
    try target.finish()
  }
}
