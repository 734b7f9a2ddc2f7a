internal import TapelineHAR
internal import TapelineRedaction

/// Captures of any origin: every reader gets through them, and a log that is written again is read as before.
enum CaptureOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let whole = CaptureReading(of: input, .whole)
    for segmentation in Segmentation.all(of: input) {
      let cut = CaptureReading(of: input, segmentation)
      try OracleViolation.requireEqual(cut, whole, "\(segmentation) and in one piece is the same")
    }
    if whole.failure == nil, whole.isReadable { try checkWriting(of: input) }
    try checkRecovery(of: input)
    redact(whole.entries)
    try runCommands(input, entries: whole.entries, pages: whole.pages)
  }

  private static func checkWriting(of input: [UInt8]) throws(OracleViolation) {
    let log: HARLog
    let again: HARLog
    do throws(HARReadError) {
      log = try HARLog(json: input)
      again = try HARLog(json: log.json)
    } catch {
      throw OracleViolation("a log that is read can be written and read: \(error)")
    }
    try OracleViolation.requireEqual(again, log, "a log that is written is read as it was")
  }

  /// A capture recovered from a damaged one is a valid capture.
  private static func checkRecovery(of input: [UInt8]) throws(OracleViolation) {
    let output = ByteSink()
    var recovery = HARRecovery { (piece) throws(Never) in output.append(piece) }
    recovery.feed(input.span)
    let outcome = recovery.finish()
    guard outcome.entries > 0 || outcome.damage == nil else { return }
    let reading = CaptureReading(of: output.bytes, .whole)
    try OracleViolation.requireEqual(reading.failure, nil, "what is recovered is a capture")
    try OracleViolation.requireEqual(reading.entries.count, outcome.entries, "what is recovered has the entries that were found")
  }

  /// Checks only that redaction finishes.
  private static func redact(_ entries: [HAREntry]) {
    var redactor = EntryRedactor()
    for entry in entries {
      var redacted = entry
      _ = redactor.redact(&redacted)
    }
  }
}

/// Everything that the readers of captures find in one, in a form that does not depend on how its bytes were split.
struct CaptureReading: Equatable {
  private(set) var events: [HARReader.Event] = []
  private(set) var failure: HARReadError.Kind?
  private(set) var findings: [HARFinding] = []
  private(set) var isLintable = true

  /// The size limit for one value: it bounds memory.
  private static let valueSizeLimit = 64 << 10

  init(of input: [UInt8], _ segmentation: Segmentation) {
    let pieces = segmentation.pieces(of: input.count)
    var reader = HARReader(reportsWarnings: true, valueSizeLimit: Self.valueSizeLimit)
    do throws(HARReadError) {
      for range in pieces {
        reader.feed(input.span.extracting(range))
        while let event = try reader.next() { events.append(event) }
      }
      reader.finish()
      while let event = try reader.next() { events.append(event) }
    } catch {
      failure = error.kind
    }
    lint(input, pieces)
  }

  private mutating func lint(_ input: [UInt8], _ pieces: [Range<Int>]) {
    var lint = HARLint(profiles: Set(HARProfile.allCases))
    var findings: [HARFinding] = []
    do throws(HARReadError) {
      for range in pieces { try lint.feed(input.span.extracting(range)) { findings.append($0) } }
      try lint.finish { findings.append($0) }
    } catch {
      isLintable = false
    }
    self.findings = findings
  }

  /// Whether no element was passed over.
  var isReadable: Bool {
    !events.contains { if case .unreadable = $0 { true } else { false } }
  }

  var pages: [HARPage] {
    events.compactMap { if case .page(let page) = $0 { page } else { nil } }
  }

  var entries: [HAREntry] {
    events.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
  }
}
