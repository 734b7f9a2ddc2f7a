internal import TapelineHAR
internal import TapelineTime

/// The files of one capture, one after the other, and the entries on their way to the current one.
struct HARFileSeries: ~Copyable {
  private let configuration: RecorderConfiguration
  private let names: NumberedPath
  private var number = 0
  private var file: HARFile
  private(set) var paths: [String]
  /// Whether the file has an entry, so that the next one is separated from it.
  private var hasEntries = false
  /// Entries to be written, a separator before each of them.
  private var text = JSONWriter(capacity: 64 << 10)
  private var textCount: UInt64 = 0
  /// What the current file lacks, and what of that it says already.
  private var missing = MissingCounts()
  private var writtenMissing = MissingCounts()
  /// Entries that could not be written to any file.
  private(set) var unwritten: UInt64 = 0

  /// The `id` of the one page of each file, and the `pageref` of every entry.
  static let pageID = "page_1"
  /// So much text is written before more of it is made.
  private static let textLimit = 1 << 20
  private static let separatorSize = 2

  init(_ configuration: RecorderConfiguration) throws(RecorderError) {
    self.configuration = configuration
    names = NumberedPath(configuration.path)
    file = try Self.begin(configuration.path, configuration, unixNanoseconds: configuration.anchor.unixNanoseconds)
    paths = [configuration.path]
  }

  /// Adds an entry, which `write` appends. It is on disk after the next `flush`.
  mutating func append(_ write: (inout JSONWriter) -> Void) throws(RecorderError) {
    HARFraming.separate(in: &text)
    write(&text)
    textCount += 1
    if text.count > Self.textLimit { try flush() }
  }

  /// Counts what the current file lacks; the file says so after the next `flush`.
  mutating func count(missing counts: MissingCounts) {
    missing += counts
  }

  /// Writes what was added. Entries that cannot be written are counted and forgotten: memory stays bounded.
  mutating func flush() throws(RecorderError) {
    guard textCount > 0 || missing != writtenMissing else { return }
    do throws(RecorderError) {
      if hasEntries, file.size + text.count > configuration.fileSizeLimit { try beginNextFile() }
      try file.append(&text, from: hasEntries ? 0 : min(Self.separatorSize, text.count), closing: missing.closing)
      hasEntries = hasEntries || textCount > 0
      writtenMissing = missing
      textCount = 0
    } catch {
      missing.unwritten += textCount
      unwritten += textCount
      text.truncate(to: 0)
      textCount = 0
      throw error
    }
  }

  /// Closes the current file and begins the next; on failure the current one goes on.
  mutating func rotate() throws(RecorderError) {
    try flush()
    try beginNextFile()
  }

  private mutating func beginNextFile() throws(RecorderError) {
    let time = configuration.anchor.unixNanoseconds(at: .now)
    while true {
      number += 1
      let path = names.numbered(number)
      do throws(RecorderError) {
        file = try Self.begin(path, configuration, unixNanoseconds: time)
      } catch .fileExists(_) {
        continue
      }
      paths.append(path)
      hasEntries = false
      missing = MissingCounts()
      writtenMissing = MissingCounts()
      return
    }
  }

  /// Makes a file with its one page and no entries.
  private static func begin(
    _ path: String, _ configuration: RecorderConfiguration, unixNanoseconds: Int64
  ) throws(RecorderError) -> HARFile {
    var date = JSONWriter()
    var dates = DateWriter()
    dates.append(unixNanoseconds: unixNanoseconds, to: &date)
    let started = String(decoding: date.octets, as: UTF8.self)
    let page = HARPage(
      startedDateTime: started, id: pageID, title: configuration.title, pageTimings: HARPageTimings(onContentLoad: -1, onLoad: -1)
    )
    let log = HARLog(creator: HARCreator(name: "tapeline", version: configuration.creatorVersion), pages: [page])
    var opening = JSONWriter()
    HARFraming.open(log, in: &opening)
    return try HARFile(path: path, opening: opening, closing: MissingCounts().closing)
  }
}
