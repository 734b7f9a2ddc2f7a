internal import TapelineInspect
internal import TapelineSystem
package import TapelineBase
internal import TapelineTime

/// The traces that curl writes, as a HAR.
package struct CurlImport {
  private let files: [String]
  private let firstDay: CivilDate?
  private let settings: ImportSettings

  /// - Parameters:
  ///   - files: each a trace; `-` is standard input.
  ///   - firstDay: the day of the first line of each; `nil`: the last line is of the day on which the file was last written.
  package init(_ files: [String], firstDay: CivilDate?, _ settings: ImportSettings) {
    self.files = files
    self.firstDay = firstDay
    self.settings = settings
  }

  package func run() throws(CommandFailure) {
    var log: ImportedLog?
    for file in files {
      let source = try CaptureFile.source(file, for: .again)
      let clock = try clock(of: source, file)
      if log == nil { log = try ImportedLog(settings, of: "curl \(files.joined(separator: " "))") }
      try read(source, file, by: clock) { (exchange) throws(CommandFailure) in try log?.write(exchange) }
    }
    guard let log else { return }
    let count = log.entryCount
    let secrets = log.secretCount
    guard count > 0 else {
      throw failure(files[0], "no exchange is in it", remedy: "name what curl wrote for -v, --trace or --trace-ascii")
    }
    try log.finish()
    let hidden = settings.keepsSecrets ? "" : "; \(Count.text(secrets, "secret")) replaced"
    settings.report("\(Count.text(count, "exchange")) of \(Count.text(files.count, "trace"))\(hidden)")
  }

  /// Looks for midnight, and for times at all.
  private func clock(of source: InputSource, _ file: String) throws(CommandFailure) -> CurlClock {
    var probe = CurlClock(firstDay: CivilDate(year: 1970, month: 1, day: 2))
    var hasTimes = false
    var hasEvents = false
    try events(of: source, file) { (event, _) throws(CommandFailure) in
      hasEvents = true
      guard let time = event.timeOfDay else { return }
      hasTimes = true
      _ = probe.instant(of: time)
    }
    guard hasTimes else {
      throw failure(
        file, hasEvents ? "its lines have no times" : "it is no trace of curl",
        remedy: hasEvents
          ? "run curl with --trace-time as well" : "name what curl wrote for -v, --trace or --trace-ascii, with --trace-time")
    }
    if let firstDay { return CurlClock(firstDay: firstDay) }
    return CurlClock(lastLineAt: source.modified ?? Int(wallClockSeconds()), midnights: probe.midnights)
  }

  private func read(
    _ source: InputSource, _ file: String, by clock: CurlClock,
    _ take: (ImportedExchange) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    var clock = clock
    var transfers = CurlTransfers(bodyLimit: settings.bodyLimit)
    var last: CurlDetail?
    try events(of: source, file) { (event, detail) throws(CommandFailure) in
      last = detail
      // A line without a time is output of another kind.
      guard let time = event.timeOfDay else { return }
      try transfers.handle(event, at: clock.instant(of: time), detail, take)
    }
    try transfers.finish(last, take)
  }

  private func events(
    of source: InputSource, _ name: String, _ take: (CurlEvent, CurlDetail?) throws(CommandFailure) -> Void
  ) throws(CommandFailure) {
    var file = InputFile(source, expecting: .anything)
    var reader = CurlTraceReader()
    while try next(&file, name) {
      try file.withPiece { (piece) throws(CommandFailure) in try reader.feed(piece, take) }
    }
    try reader.finish(take)
  }

  private func next(_ file: inout InputFile, _ name: String) throws(CommandFailure) -> Bool {
    do throws(CaptureError) {
      return try file.read()
    } catch {
      throw failure(name, error.description, remedy: "name a trace that can be read")
    }
  }

  private func failure(_ file: String, _ why: String, remedy: String) -> CommandFailure {
    CommandFailure(status: .badInput, what: file == "-" ? "standard input" : file, why: why, remedy: remedy)
  }
}
