internal import TapelineHAR
package import TapelineInspect
internal import TapelineRecorder
internal import TapelineRedaction
internal import TapelineBase

/// A log without its secrets.
package struct Redaction {
  private let file: String
  private let output: String
  private let replaces: Bool
  private let rules: [String]
  private let bodies: BodyFiles
  private let bodiesDirectory: String?

  /// - Parameters:
  ///   - replaces: whether `output` may exist.
  ///   - rules: files with rules in addition to ours.
  ///   - bodies: the body files of the log.
  ///   - bodiesDirectory: where bodies are kept as files; `nil` keeps them in their entries.
  package init(
    of file: String, to output: String, replacing replaces: Bool, rules: [String], bodies: BodyFiles, bodiesDirectory: String?
  ) {
    self.file = file
    self.output = output
    self.replaces = replaces
    self.rules = rules
    self.bodies = bodies
    self.bodiesDirectory = bodiesDirectory
  }

  package func run() throws(CommandFailure) {
    let source = try CaptureFile.source(file, for: .again)
    var redactor = EntryRedactor(rules: try RedactionFiles.rules(rules))
    var (log, count) = try header(of: source, &redactor)
    let target = try OutputFile(path: output, replacing: replaces)
    let kept = try keptBodies()
    var writer = HARWriter(log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = CaptureFile(source, bodies: bodies, bringsBodiesIn: true, isExact: true)
    while var (_, entry) = try capture.next() {
      count += redactor.redact(&entry)
      do throws(RecorderError) {
        try kept.putOut(&entry)
      } catch {
        throw Self.failure(error, status: .writeFailed)
      }
      try writer.write(entry)
    }
    try writer.finish()
    try target.finish()
    var unseen = redactor.unseen
    unseen.missingFiles = capture.missingBodies
    let rest = unseen.text.isEmpty ? "" : "; not looked into: \(unseen.text)"
    Console.say("\(output): \(Count.text(count, "secret")) replaced\(rest)\(capture.mended.parts.map { "; " + $0 }.joined())")
  }

  private func keptBodies() throws(CommandFailure) -> RedactedBodies {
    do throws(RecorderError) {
      return try RedactedBodies(besideHAR: output, directory: bodiesDirectory)
    } catch {
      throw Self.failure(error, status: .cannotCreate)
    }
  }

  private static func failure(_ error: RecorderError, status: ExitStatus) -> CommandFailure {
    CommandFailure(status: status, what: error.path ?? "bodies", why: error.reason, remedy: error.remedy)
  }

  /// The log without its entries, redacted, and the number of secrets that were in it.
  private func header(of source: InputSource, _ redactor: inout EntryRedactor) throws(CommandFailure) -> (log: HARLog, count: Int)
  {
    var log = try CaptureFile.header(source)
    var count = 0
    for index in log.pages.indices { count += redactor.redact(&log.pages[index]) }
    for index in log.custom.members.indices { count += redactor.redact(&log.custom.members[index]) }
    for index in log.beside.members.indices { count += redactor.redact(&log.beside.members[index]) }
    count += redactor.redact(&log.creator)
    if var browser = log.browser {
      count += redactor.redact(&browser)
      log.browser = browser
    }
    if var comment = log.comment {
      count += redactor.redact(title: &comment)
      log.comment = comment
    }
    return (log, count)
  }
}
