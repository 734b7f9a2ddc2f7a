internal import TapelineCore
internal import TapelineHAR
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime

/// The files of one capture, in order, and the entries that wait to be written to the current file.
struct HARFileSeries: ~Copyable {
  private let configuration: RecorderConfiguration
  /// With a disk that refuses writes; `nil`: there is none.
  private let patience: DiskPatience?
  private let names: NumberedPath
  private var number = 0
  private var file: HARFile
  private(set) var paths: [String]
  /// The files before the current one.
  private var finished: [FinishedFile] = []
  private var pages: PageList
  /// Entries in the current file.
  private(set) var entryCount: UInt64 = 0
  /// Entries to be written to it.
  private var textCount: UInt64 = 0
  /// The counts of all that is missing from the current file.
  private var missing = MissingCounts()
  private var bypassed: [BypassedConnections] = []
  private var network: RecordedNetwork?
  /// Whether the end of the file is out of date.
  private var isClosingStale = false
  /// Entries that were shown to the filter.
  private var offered = 0
  /// Entries that were lost because writing failed.
  private(set) var unwritten: UInt64 = 0

  /// At this size, text is written before more is added.
  private static let textLimit = 1 << 20

  init(
    _ configuration: RecorderConfiguration, firstPage: RecordedPage, patience: DiskPatience? = nil
  ) throws(RecorderError) {
    self.configuration = configuration
    self.patience = patience
    names = NumberedPath(configuration.path)
    let tail = try LogTail.kept()
    let pages =
      tail.map { PageList(continuing: $0.pages(first: firstPage, anchor: configuration.anchor), anchor: configuration.anchor) }
      ?? PageList(first: firstPage, anchor: configuration.anchor)
    file =
      if let tail {
        try HARFile(
          continuing: KeptLog.path, behind: tail,
          closing: FileClosing(pages: pages.listed, missing: KeptLog.missing).bytes)
      } else {
        try Self.begin(configuration.path, replacing: configuration.replacesFile, configuration, pages)
      }
    self.pages = pages
    paths = tail == nil ? [configuration.path] : KeptLog.paths
    if let tail { goOn(behind: tail) } else { keep() }
  }

  /// Goes on with the log from before a crash.
  private mutating func goOn(behind tail: LogTail) {
    entryCount = tail.entryCount
    missing = KeptLog.missing
    number = Int(ProcessRestart.word(.logNumber))
    offered = Int(ProcessRestart.word(.offered))
    unwritten = UInt64(ProcessRestart.word(.unwritten))
    finished = KeptLog.files
  }

  /// A crash leaves the files to the next start. A new one has begun.
  private func keep() {
    ProcessRestart.keep(Int64(number), as: .logNumber)
    KeptLog.keep(paths, finished)
  }

  /// Adds what is no exchange, and has to be told whatever the filter says.
  mutating func append(
    remarkAt instant: MonotonicInstant, _ write: (inout JSONWriter, PageID) -> Void
  ) throws(RecorderError) {
    let listed = pages.listed.count
    let page = pages.page(at: instant)
    isClosingStale = isClosingStale || pages.listed.count != listed
    separate()
    write(&file.text, page)
    textCount += 1
  }

  /// Bytes of the current file.
  var size: Int { file.size }

  var currentPage: PageID { pages.current.id }

  /// Adds the entry, written by `write`, of an exchange that began at `instant`. The entry is on disk after the next `flush`.
  ///
  /// - Returns: whether the entry is kept.
  @discardableResult
  mutating func append(
    startedAt instant: MonotonicInstant?, _ write: (inout JSONWriter, PageID) -> Void
  ) throws(RecorderError) -> Bool {
    let listed = pages.listed.count
    let page = pages.page(at: instant)
    isClosingStale = isClosingStale || pages.listed.count != listed
    let start = file.text.count
    separate()
    let entryStart = file.text.count
    write(&file.text, page)
    if let keeps = configuration.keeps {
      offered += 1
      guard Self.isKept(by: keeps, file.text, from: entryStart, number: offered, page: pages.title(of: page)) else {
        file.text.truncate(to: start)
        return false
      }
    }
    if let exports = configuration.exports {
      let facts = pages.facts(of: page)
      file.text.withBytes { exports($0.extracting(entryStart..<$0.count), facts) }
    }
    do {
      // The entry counts once it waits to be written, so not while the previous file is being closed.
      defer { textCount += 1 }
      if entryCount + textCount > 0, file.size + file.waiting > configuration.fileSizeLimit {
        let entry = file.text.withBytes { [UInt8](copying: $0.extracting(droppingFirst: entryStart)) }
        file.text.truncate(to: start)
        try beginNextFile(with: entry, startedAt: instant)
      }
    }
    if file.waiting > Self.textLimit { try flush() }
    return true
  }

  private mutating func separate() {
    if entryCount + textCount > 0 { HARFraming.separate(in: &file.text) }
  }

  private static func isKept(
    by keeps: (Span<UInt8>, Int, String) -> Bool, _ text: borrowing JSONWriter, from entryStart: Int, number: Int,
    page title: String
  ) -> Bool {
    text.withBytes { keeps($0.extracting(entryStart..<$0.count), number, title) }
  }

  /// Writes everything before `entry`, then begins the next file with the entry.
  private mutating func beginNextFile(with entry: [UInt8], startedAt instant: MonotonicInstant?) throws(RecorderError) {
    defer {
      separate()
      file.text.append(json: entry.span)
    }
    try flush()
    try beginNextFile()
    _ = pages.page(at: instant)
    isClosingStale = true
  }

  /// Entries of exchanges that begin from now on belong to this page. If the page needs a new file that
  /// cannot be made, the page is not added.
  mutating func begin(_ page: RecordedPage) throws(RecorderError) {
    defer {
      if !pages.isFull {
        pages.append(page)
        isClosingStale = true
      }
    }
    if pages.isFull { try rotate() }
  }

  /// Counts what is missing from the current file; the file says so after the next `flush`.
  mutating func count(missing counts: MissingCounts) {
    guard counts != MissingCounts() else { return }
    missing += counts
    isClosingStale = true
  }

  /// The file has these after the next `flush`, until it is closed.
  mutating func note(bypassed connections: [BypassedConnections]) {
    guard connections != bypassed else { return }
    bypassed = connections
    isClosingStale = true
  }

  /// Each file has it after the next `flush`.
  mutating func note(_ network: RecordedNetwork) {
    guard network != self.network else { return }
    self.network = network
    isClosingStale = true
  }

  /// Writes the added entries. Entries that cannot be written are counted and discarded: memory stays bounded.
  ///
  /// - Returns: whether anything was written.
  @discardableResult
  mutating func flush() throws(RecorderError) -> Bool {
    guard textCount > 0 || isClosingStale else { return false }
    do throws(RecorderError) {
      let closing = FileClosing(pages: pages.listed, missing: missing, bypassed: bypassed, network: network)
      let patience = patience
      try file.flush(closing: closing.bytes) { patience?.permitsAnotherAttempt(after: $0) ?? false }
      patience?.noteSuccess()
      entryCount += textCount
      KeptLog.keep(entryCount, missing, offered: offered)
      isClosingStale = false
      textCount = 0
      return true
    } catch {
      missing.unwritten += textCount
      unwritten += textCount
      ProcessRestart.keep(unwritten, as: .unwritten)
      isClosingStale = true
      textCount = 0
      throw error
    }
  }

  /// Closes the current file and begins the next; if the next file cannot be made, the current file stays in use.
  ///
  /// A file that can no longer be written, for example because it was removed, is abandoned all the same.
  mutating func rotate() throws(RecorderError) {
    defer { isClosingStale = true }
    do throws(RecorderError) {
      try flush()
    } catch {
      try beginNextFile()
      throw error
    }
    try beginNextFile()
  }

  /// Syncs the written data to the disk.
  func synchronize() throws(RecorderError) {
    try file.synchronize()
  }

  /// The source for a copy of the current file. Everything that was added must have been written.
  ///
  /// - Parameters:
  ///   - inFlight: exchanges that only the copy has.
  ///   - write: appends the entry of one exchange.
  func snapshotSource(
    with inFlight: [ExchangeRecord], _ write: (ExchangeRecord, inout JSONWriter, PageID) -> Void
  ) throws(RecorderError) -> SnapshotSource {
    // A copy of the list: the file itself must not list pages for entries that it does not have.
    var pages = pages
    var tail = SnapshotSource.Tail()
    var text = JSONWriter()
    for record in inFlight {
      let page = pages.page(at: record.started)
      let start = text.count
      if entryCount > 0 || tail.entryCount > 0 { HARFraming.separate(in: &text) }
      let entryStart = text.count
      write(record, &text, page)
      if let keeps = configuration.keeps,
        !Self.isKept(by: keeps, text, from: entryStart, number: offered + 1, page: pages.title(of: page))
      {
        text.truncate(to: start)
      } else {
        tail.places.append((record.id, entryStart..<text.count))
      }
    }
    tail.entries = text.bytes
    tail.closing = FileClosing(pages: pages.listed, missing: missing, bypassed: bypassed, network: network).bytes
    return try file.snapshotSource(entryCount: entryCount, tail: tail, after: finished)
  }

  private mutating func beginNextFile() throws(RecorderError) {
    while true {
      number += 1
      let path = names.numbered(number)
      var pages = pages
      pages.beginFile()
      let old = file.finished(entryCount: entryCount)
      do throws(RecorderError) {
        file = try Self.begin(path, configuration, pages)
      } catch .fileExists(_), .notPrivate(_, _) {
        continue
      }
      self.pages = pages
      paths.append(path)
      finished.append(old)
      entryCount = 0
      missing = MissingCounts()
      bypassed = []
      removeOldFiles()
      keep()
      KeptLog.keep(entryCount, missing, offered: offered)
      return
    }
  }

  /// Removes the oldest files beyond those that are kept. One that cannot be removed stays, and the recording goes on.
  private mutating func removeOldFiles() {
    guard let kept = configuration.keptFiles else { return }
    while paths.count > kept { SystemCalls.removeIfPossible(paths.removeFirst()) }
  }

  /// Makes a file with no entries.
  private static func begin(
    _ path: String, replacing replaces: Bool = false, _ configuration: RecorderConfiguration, _ pages: borrowing PageList
  ) throws(RecorderError) -> HARFile {
    var opening = JSONWriter()
    opening.append(json: #"{"log":{"version":"1.2","creator":{"name":"tapeline","version":"#)
    opening.append(string: configuration.creatorVersion)
    opening.append(json: "},\"entries\":[\n")
    let closing = FileClosing(pages: pages.listed, missing: MissingCounts())
    return try HARFile(path: path, replacing: replaces, opening: opening, closing: closing.bytes)
  }
}
