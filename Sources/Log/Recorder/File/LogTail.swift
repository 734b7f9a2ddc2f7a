internal import TapelineHAR
internal import TapelineSystem
internal import TapelineTime

/// Where the log ends that a crash of this process has left, as a file on disk: what was written last may have got there without
/// our knowing, and on a file system without direct writes a part of it.
struct LogTail {
  let descriptor: Int32
  /// Behind the last whole entry.
  let end: Int
  let entryCount: UInt64
  /// The text from the beginning of the block in which `end` lies.
  let block: [UInt8]
  /// Those that the file lists; empty if its end is damaged.
  private let listed: [HARPage]

  /// Entries begin after these.
  private static let opening = Array("{\"log\":{\"entries\":[".utf8)

  /// That of the process before the crash; `nil` if there was none.
  static func kept() throws(RecorderError) -> LogTail? {
    guard let descriptor = ProcessRestart.descriptor(HARFile.keptName) else { return nil }
    return try LogTail(
      descriptor, path: KeptLog.path, known: Int(ProcessRestart.word(.logEnd)), counted: ProcessRestart.word(.logEntries))
  }

  /// Reads behind the place to which the file was known to be written.
  ///
  /// - Parameter counted: how many entries were known to be before it, or one batch fewer.
  init(_ descriptor: Int32, path: String, known: Int, counted: Int64) throws(RecorderError) {
    let blockStart = BlockWriter.blockStart(of: known)
    let bytes: [UInt8]
    do throws(SystemCallError) {
      // A descriptor for direct reads would want aligned memory.
      let reader = try SystemCalls.open("/proc/self/fd/\(descriptor)")
      defer { SystemCalls.discard(reader) }
      bytes = try Self.read(reader, from: max(0, blockStart - 2))
    } catch {
      throw .writeFailed(path: path, code: error.code)
    }
    let skipped = min(2, blockStart)
    let prefix = min(known - blockStart + skipped, bytes.count)
    let hasEntries = prefix > 0 && bytes[prefix - 1] == UInt8(ascii: "}")
    var text = Self.opening
    // A comma and a line end come before every entry but the first.
    let separator = hasEntries && bytes[prefix...].first == UInt8(ascii: ",") ? 1 : 0
    text += bytes[min(prefix + separator, bytes.count)...]
    let found = Self.entries(in: text)
    // From the beginning of `text` to that of the file.
    let shift = known + separator - Self.opening.count
    self.descriptor = descriptor
    end = found.count > 0 ? found.end + shift : known
    let counted = UInt64(max(counted, hasEntries ? 1 : 0))
    entryCount = (hasEntries ? counted : 0) + found.count
    listed = found.pages
    let start = BlockWriter.blockStart(of: end)
    block = Array(bytes[min(start - blockStart + skipped, bytes.count)..<min(end - blockStart + skipped, bytes.count)])
  }

  private static func read(_ descriptor: Int32, from start: Int) throws(SystemCallError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = try SystemCalls.read(descriptor, at: start + bytes.count, into: &piece)
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// How many whole entries `text` begins with, where the last one ends, and the pages behind them.
  private static func entries(in text: [UInt8]) -> (count: UInt64, end: Int, pages: [HARPage]) {
    var reader = HARReader()
    var (count, end, pages): (UInt64, Int, [HARPage]) = (0, 0, [])
    reader.feed(text.span)
    reader.finish()
    do throws(HARReadError) {
      while let event = try reader.next() {
        switch event {
        case .entry:
          count += 1
          end = reader.entryRange.upperBound
        case .page(let page):
          pages.append(page)
        case .version, .creator, .browser, .comment, .member, .beside, .warning, .unreadable:
          break
        }
      }
    } catch {
      // The rest of the write did not get there.
    }
    return (count, end, pages)
  }

  /// The pages of the recording.
  ///
  /// - Parameter first: its first page, whose title is known in any case.
  func pages(first: RecordedPage, anchor: WallClockAnchor) -> [RecordedPage] {
    let pages = listed.compactMap { page -> RecordedPage? in
      guard let id = PageID(page.id), let began = unixNanoseconds(ofDate: page.startedDateTime) else { return nil }
      let distance = Int64(began) - anchor.unixNanoseconds
      return RecordedPage(id: id, title: page.title, began: anchor.instant.advanced(byNanoseconds: distance))
    }
    guard pages.isEmpty else { return pages }
    // Entries refer to them.
    let current = max(1, UInt64(clamping: ProcessRestart.word(.page)))
    return (max(1, current - min(current, UInt64(PageList.most)) + 1)...current).map { number in
      number == 1 ? first : RecordedPage(id: PageID(number: number), title: "", began: first.began)
    }
  }
}

/// The facts about a log that outlive a crash, besides its file.
enum KeptLog {
  private static let separator: Character = "\u{0}"

  /// The current file.
  static var path: String { ProcessRestart.text(.logPath) ?? "" }

  static var missing: MissingCounts {
    MissingCounts(
      bodies: UInt64(ProcessRestart.word(.missingBodies)), exchanges: UInt64(ProcessRestart.word(.missingExchanges)),
      unwritten: UInt64(ProcessRestart.word(.missingUnwritten)))
  }

  static var paths: [String] { texts(.logPaths) }

  /// The files before the current one.
  static var files: [FinishedFile] {
    texts(.logFiles).compactMap { text in
      let parts = text.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let end = Int(parts[0]), let count = UInt64(parts[1]) else { return nil }
      return FinishedFile(path: String(parts[2]), textEnd: end, entryCount: count)
    }
  }

  static func keep(_ paths: [String], _ files: [FinishedFile]) {
    ProcessRestart.keep(paths.joined(separator: "\(separator)"), as: .logPaths)
    let texts = files.map { "\($0.textEnd) \($0.entryCount) \($0.path)" }
    ProcessRestart.keep(texts.joined(separator: "\(separator)"), as: .logFiles)
  }

  static func keep(_ entryCount: UInt64, _ missing: MissingCounts, offered: Int) {
    ProcessRestart.keep(entryCount, as: .logEntries)
    ProcessRestart.keep(missing.bodies, as: .missingBodies)
    ProcessRestart.keep(missing.exchanges, as: .missingExchanges)
    ProcessRestart.keep(missing.unwritten, as: .missingUnwritten)
    ProcessRestart.keep(Int64(offered), as: .offered)
  }

  private static func texts(_ fact: ProcessRestart.Fact) -> [String] {
    (ProcessRestart.text(fact) ?? "").split(separator: separator).map(String.init)
  }
}
