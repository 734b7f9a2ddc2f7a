internal import TapelineHAR
internal import TapelineInspect
internal import TapelineRecorder

/// Captures of any origin: every reader comes through them, and what is read is the same when it has been written again.
enum CaptureOracle {
  static func check(_ input: [UInt8]) throws(OracleViolation) {
    let whole = CaptureReading(of: input, .whole)
    for segmentation in Segmentation.all(of: input) {
      let cut = CaptureReading(of: input, segmentation)
      try OracleViolation.requireEqual(cut, whole, "\(segmentation) and in one piece is the same")
    }
    if whole.failure == nil { try checkWriting(of: input) }
    try checkRecovery(of: input)
    inspect(whole.entries)
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

  /// What is taken out of a damaged capture is a capture.
  private static func checkRecovery(of input: [UInt8]) throws(OracleViolation) {
    let output = OctetSink()
    var recovery = HARRecovery { (piece) throws(Never) in output.append(piece) }
    recovery.feed(input.span)
    let outcome = recovery.finish()
    guard outcome.entries > 0 || outcome.damage == nil else { return }
    let reading = CaptureReading(of: output.octets, .whole)
    try OracleViolation.requireEqual(reading.failure, nil, "what is recovered is a capture")
    try OracleViolation.requireEqual(reading.entries.count, outcome.entries, "what is recovered has the entries that were found")
  }

  /// What the commands make of the entries; only that they come through it is looked at.
  private static func inspect(_ entries: [HAREntry]) {
    var redactor = EntryRedactor()
    var statistics = CaptureStatistics(grouping: .path)
    var waterfall = Waterfall(grouping: .connection)
    for (index, entry) in entries.enumerated() {
      statistics.add(entry, number: index + 1)
      waterfall.add(entry, number: index + 1)
      _ = RawMessages.octets(of: entry)
      _ = MessageHeads.lines(of: entry)
      _ = DebugDescription.lines(of: entry)
      _ = RecordedBody(response: entry.response)
      _ = try? CurlCommand(entry).text
      var redacted = entry
      _ = redactor.redact(&redacted)
    }
  }
}
