package import TapelineConsole
internal import TapelineHAR
internal import TapelineInspect

/// A log in another form.
package struct Conversion {
  private let path: String
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
  }

  /// - Parameters:
  ///   - output: the file to write; `nil` for stdout.
  ///   - replaces: whether `output` may exist.
  package init(of path: String, to output: String?, replacing replaces: Bool) {
    self.path = path
    self.output = output
    self.replaces = replaces
  }

  package func write(_ form: Form) throws(CommandFailure) {
    switch form {
    case .har: try writeHAR()
    case .ndjson:
      try writeLines(showing: .json) { entry, text in
        text.append(entry: entry)
        text.append(byte: UInt8(ascii: "\n"))
      }
    case .csv(let isRaw):
      let style: CSVLine.Style = isRaw ? [] : .spreadsheet
      try writeLines(showing: .lines, heading: EntryTable.heading) { entry, text in
        text.append(json: Array(EntryTable.line(for: entry, style).utf8).span)
      }
    }
  }

  private func writeHAR() throws(CommandFailure) {
    let source = try CaptureFile.source(path, for: .again)
    let log = try CaptureFile.header(source)
    let target = try target(showing: .json)
    var writer = HARWriter(log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = CaptureFile(source)
    let bodyFiles = BodyFileNames(of: path, in: output)
    while case (_, var entry)? = try capture.next() {
      bodyFiles.follow(&entry)
      try writer.write(entry)
    }
    try writer.finish()
    try target.finish()
  }

  private func writeLines(
    showing form: OutputFile.Form, heading: String = "", _ append: (HAREntry, inout JSONWriter) -> Void
  ) throws(CommandFailure) {
    var source = try CaptureFile(path: path)
    let target = try target(showing: form)
    var text = JSONWriter(capacity: 128 << 10)
    text.append(json: Array(heading.utf8).span)
    var isEmpty = true
    let bodyFiles = BodyFileNames(of: path, in: output)
    do throws(CommandFailure) {
      while case (_, var entry)? = try source.next() {
        isEmpty = false
        bodyFiles.follow(&entry)
        append(entry, &text)
        guard text.count >= 64 << 10 else { continue }
        try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
        text.truncate(to: 0)
      }
    } catch {
      // The part before the damage is a result too.
      if !isEmpty { try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) } }
      throw error
    }
    try text.withBytes { (bytes) throws(CommandFailure) in try target.write(bytes) }
    try target.finish()
  }

  private func target(showing form: OutputFile.Form) throws(CommandFailure) -> OutputFile {
    if let output { try OutputFile(path: output, replacing: replaces) } else { OutputFile(showing: form) }
  }
}
