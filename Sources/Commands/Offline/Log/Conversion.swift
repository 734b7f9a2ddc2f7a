internal import TapelineHAR
internal import TapelineInspect

/// Logs in another form.
package struct Conversion {
  private let fleet: CaptureFleet
  private let output: String?
  private let replaces: Bool

  package enum Form: Sendable {
    /// Our layout.
    case har
    /// An entry per line and nothing else.
    case ndjson
    /// A line of figures per exchange.
    ///
    /// - Parameter isRaw: whether texts that a spreadsheet would evaluate stay as they are.
    case csv(isRaw: Bool)
    /// A flat JSON object per exchange and line.
    case rows
    /// Chrome's Trace Event Format.
    case trace
  }

  /// - Parameters:
  ///   - output: the file to write; `nil` for stdout.
  ///   - replaces: whether `output` may exist.
  package init(of fleet: CaptureFleet, to output: String?, replacing replaces: Bool) {
    self.fleet = fleet
    self.output = output
    self.replaces = replaces
  }

  package func write(_ form: Form) throws(CommandFailure) {
    switch form {
    case .har: try writeHAR()
    case .ndjson:
      try writeLines(showing: .json, isExact: true) { _, entry, text in
        text.append(entry: entry)
        text.append(byte: UInt8(ascii: "\n"))
      }
    case .csv(let isRaw):
      let style: CSVLine.Style = isRaw ? [] : .spreadsheet
      try writeLines(showing: .lines, heading: EntryTable.heading) { _, entry, text in
        text.append(json: Array(EntryTable.line(for: entry, style).utf8).span)
      }
    case .rows:
      try writeLines(showing: .json, parts: ListColumns.flat.parts) { number, entry, text in
        text.append(json: Array(ExchangeRecords.json(entry, number: number, columns: .flat).utf8).span)
        text.append(byte: UInt8(ascii: "\n"))
      }
    case .trace:
      var events = TraceEvents()
      try writeLines(
        showing: .json, parts: [.custom, .pageTitle], heading: TraceEvents.opening, closing: TraceEvents.closing
      ) { number, entry, text in
        events.append(entry, number: number, to: &text)
      }
    }
  }

  private func writeHAR() throws(CommandFailure) {
    guard let path = fleet.files.first, !fleet.hasSeveral else {
      throw CommandFailure(
        status: .usage, what: "--to har", why: "it makes one log of one", remedy: "tapeline merge makes one log of several")
    }
    let source = try CaptureFile.source(path, for: .again)
    let log = try CaptureFile.header(source)
    let target = try target(showing: .json)
    var writer = HARWriter(log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = CaptureFile(source, isExact: true)
    let bodyFiles = BodyFileNames(of: path, in: output)
    while case (_, var entry)? = try capture.next() {
      bodyFiles.follow(&entry)
      try writer.write(entry)
    }
    try writer.finish()
    try target.finish()
    tell(capture.mended, path)
  }

  private func tell(_ mended: MendedTexts, _ path: String) {
    if !mended.parts.isEmpty { Console.say("\(path): \(mended.parts.joined(separator: "; "))") }
  }

  /// - Parameter append: gets the number of an exchange in its file.
  private func writeLines(
    showing form: OutputFile.Form, parts: HAREntryParts = .all, isExact: Bool = false, heading: String = "",
    closing: String = "", _ append: (Int, HAREntry, inout JSONWriter) -> Void
  ) throws(CommandFailure) {
    let target = try target(showing: form)
    var text = JSONWriter(capacity: 128 << 10)
    text.append(json: Array(heading.utf8).span)
    var isEmpty = true
    do throws(CommandFailure) {
      try fleet.forEach { (path) throws(CommandFailure) in
        var source = try CaptureFile(path: path, parts: parts, isExact: isExact)
        let bodyFiles = BodyFileNames(of: path, in: output)
        while case (let number, var entry)? = try source.next() {
          isEmpty = false
          bodyFiles.follow(&entry)
          append(number, entry, &text)
          guard text.count >= 64 << 10 else { continue }
          try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
          text.truncate(to: 0)
        }
        tell(source.mended, path)
      }
    } catch {
      // The part before the damage is a result too, and so are the other files.
      text.append(json: Array(closing.utf8).span)
      if !isEmpty { try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) } }
      if fleet.hasSeveral { try target.finish() }
      throw error
    }
    text.append(json: Array(closing.utf8).span)
    try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
    try target.finish()
  }

  private func target(showing form: OutputFile.Form) throws(CommandFailure) -> OutputFile {
    if let output { try OutputFile(path: output, replacing: replaces) } else { OutputFile(showing: form) }
  }
}
