internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRedaction
internal import TapelineBase

/// Another program's HAR, as one of ours: repaired, in our words, and without its secrets.
package struct HARImport {
  private let file: String
  private let settings: ImportSettings

  /// - Parameter file: the HAR; `-` is standard input.
  package init(_ file: String, _ settings: ImportSettings) {
    self.file = file
    self.settings = settings
  }

  package func run() throws(CommandFailure) {
    let source = try CaptureFile.source(file, for: .again)
    var repairs = RepairCounts()
    let lint = try look(at: source, &repairs)
    let redactor = try settings.rules().map { EntryRedactor(rules: $0) }
    let output = ForeignLog(settings, redactor, repairs, target: try settings.target())
    try mend(source, lint, into: output)
    try output.finish()
    for line in output.repairs.lines where !settings.isQuiet { Console.say(line) }
    let secrets = settings.keepsSecrets ? "" : "; \(Count.text(output.secretCount, "secret")) replaced"
    let entries = Count.text(output.entryCount, "entry", "entries")
    settings.report("\(entries); \(Count.text(output.repairs.total, "repair"))\(secrets)")
  }

  private func look(at source: InputSource, _ repairs: inout RepairCounts) throws(CommandFailure) -> HARLint {
    var lint = HARLint()
    var log = InputFile(source)
    do throws(CaptureError) {
      while try log.read() {
        do throws(HARReadError) {
          try log.withPiece { (piece) throws(HARReadError) in try lint.feed(piece) { repairs.add($0) } }
        } catch {
          throw log.captureError(for: error)
        }
      }
      do throws(HARReadError) {
        try lint.finish { repairs.add($0) }
      } catch {
        throw log.captureError(for: error)
      }
    } catch {
      throw CaptureFile.failure(file, error)
    }
    return lint
  }

  /// The mended text is read again, entry by entry.
  private func mend(_ source: InputSource, _ lint: HARLint, into output: ForeignLog) throws(CommandFailure) {
    var repair = HARRepair(lint) { (piece) throws(CommandFailure) in try output.take(piece) }
    var log = InputFile(source)
    do throws(HARRepair<CommandFailure>.Interruption) {
      while try next(&log) {
        try log.withPiece { (piece) throws(HARRepair<CommandFailure>.Interruption) in try repair.feed(piece) }
      }
      try repair.finish()
    } catch {
      switch error {
      case .malformed(let error): throw CaptureFile.failure(file, log.captureError(for: error))
      case .sink(let failure): throw failure
      }
    }
  }

  private func next(_ log: inout InputFile) throws(HARRepair<CommandFailure>.Interruption) -> Bool {
    do throws(CaptureError) {
      return try log.read()
    } catch {
      throw .sink(CaptureFile.failure(file, error))
    }
  }
}

/// Reads the mended text, and writes it as our log.
private final class ForeignLog {
  private(set) var entryCount = 0
  private(set) var secretCount = 0
  private(set) var repairs: RepairCounts
  private let settings: ImportSettings
  private let target: OutputFile
  private var redactor: EntryRedactor?
  private var reader = HARReader()
  private var log = HARLog(creator: HARCreator(name: "tapeline", version: ""))
  /// The program that wrote the log.
  private var origin: String?
  private var text = JSONWriter(capacity: 128 << 10)

  private static let pieceSize = 64 << 10

  init(_ settings: ImportSettings, _ redactor: EntryRedactor?, _ repairs: RepairCounts, target: OutputFile) {
    self.settings = settings
    self.redactor = redactor
    self.repairs = repairs
    self.target = target
    log.creator.version = settings.version
  }

  func take(_ piece: Span<UInt8>) throws(CommandFailure) {
    reader.feed(piece)
    try drain()
  }

  func finish() throws(CommandFailure) {
    reader.finish()
    try drain()
    if entryCount == 0 { open() }
    HARFraming.close(beside: log.beside, in: &text)
    try give(from: 0)
    try target.finish()
  }

  private func drain() throws(CommandFailure) {
    while let event = next() {
      switch event {
      case .entry(let entry): try write(entry)
      case .page(var page):
        secretCount += redactor?.redact(&page) ?? 0
        log.pages.append(page)
      case .creator(var creator):
        origin = "imported from a HAR of \(creator.name) \(creator.version)"
        secretCount += redactor?.redact(&creator) ?? 0
        log.creator.custom = creator.custom
      case .browser(var browser):
        secretCount += redactor?.redact(&browser) ?? 0
        log.browser = browser
      case .comment(var comment):
        secretCount += redactor?.redact(title: &comment) ?? 0
        log.comment = comment
      case .member(var member):
        secretCount += redactor?.redact(&member) ?? 0
        log.custom.members.append(member)
      case .beside(var member):
        secretCount += redactor?.redact(&member) ?? 0
        log.beside.members.append(member)
      case .version, .warning, .unreadable: break
      }
    }
  }

  private func next() -> HARReader.Event? {
    do throws(HARReadError) {
      return try reader.next()
    } catch {
      preconditionFailure("the mended text is a HAR: \(error)")
    }
  }

  /// Everything but the entries stands before them in a mended text.
  private func open() {
    log.comment = [log.comment, origin].compactMap { $0 }.joined(separator: "; ")
    HARFraming.open(log, in: &text)
  }

  private func write(_ entry: HAREntry) throws(CommandFailure) {
    if entryCount == 0 { open() } else { HARFraming.separate(in: &text) }
    var entry = entry
    ForeignEntry.repair(&entry, at: "$.log.entries[\(entryCount)]", &repairs)
    if let remark = repairs.remark(onEntry: entryCount) {
      entry.comment = [entry.comment, remark].compactMap { $0 }.joined(separator: "; ")
    }
    secretCount += redactor?.redact(&entry) ?? 0
    text.append(entry: entry)
    entryCount += 1
    try give(from: Self.pieceSize)
  }

  private func give(from size: Int) throws(CommandFailure) {
    guard text.count >= size else { return }
    try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
    text.truncate(to: 0)
  }
}
