internal import TapelineHAR
package import TapelineInspect
internal import TapelineBase

/// A capture as one HTML file.
package struct ReportFile {
  private let file: String
  private let output: String?
  private let replaces: Bool
  private let options: ReportOptions
  private let filter: Query?
  private let bodies: BodyFiles
  private let isQuiet: Bool

  /// - Parameters:
  ///   - output: the file to write; `nil` for stdout.
  ///   - replaces: whether `output` may exist.
  ///   - bodies: the body files of the capture.
  ///   - isQuiet: whether only errors are printed.
  package init(
    of file: String, to output: String?, replacing replaces: Bool, options: ReportOptions, filter: Query?, bodies: BodyFiles,
    isQuiet: Bool
  ) {
    self.file = file
    self.output = output
    self.replaces = replaces
    self.options = options
    self.filter = filter
    self.bodies = bodies
    self.isQuiet = isQuiet
  }

  /// The heading of a report that was given none.
  package static func title(of file: String) -> String {
    file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file
  }

  package func run() throws(CommandFailure) {
    let source = try CaptureFile.source(file, for: .again)
    var progress = PassProgress(of: "report", passes: 2, isQuiet: isQuiet)
    defer { progress.end() }
    let (plan, log) = try survey(source, &progress)
    let target = try makeTarget()
    var writer = ReportWriter(plan, log: log) { (piece) throws(CommandFailure) in try target.write(piece) }
    var capture = open(source)
    if let limit = plan.readingLimit { capture.limit(bodiesTo: limit) }
    progress.beginPass()
    var isFull = false
    while let (number, entry) = try capture.next() {
      try writer.write(entry, number: number)
      if !isFull, writer.isFull {
        isFull = true
        capture.limit(to: .overview)
      }
      progress.show(capture.progress)
      while isFull, try capture.passOrdinary() {
        writer.leaveOut()
        progress.show(capture.progress)
      }
    }
    let summary = try writer.finish()
    try target.finish()
    progress.end()
    if let output, !isQuiet { Console.say("\(output): \(Self.text(of: summary, missingBodies: capture.missingBodies))") }
  }

  /// The plan of the report, and the log without its entries.
  private func survey(
    _ source: InputSource, _ progress: inout PassProgress
  ) throws(CommandFailure) -> (ReportPlan, HARLog) {
    var survey = ReportSurvey(options)
    var capture = open(source)
    var log = CaptureHeader.unknown
    var isSettled = false
    while let (number, entry) = try capture.next(onOther: { log.take($0) }) {
      survey.add(entry, number: number)
      if let limit = survey.bodyLimit { capture.limit(bodiesTo: limit) }
      if !isSettled, survey.isSettled {
        isSettled = true
        capture.limit(to: .overview)
      }
      progress.show(capture.progress)
    }
    for page in log.pages { survey.add(page) }
    return (survey.plan, log)
  }

  private func open(_ source: InputSource) -> CaptureFile {
    CaptureFile(source, filter: filter, bodies: bodies, bringsBodiesIn: options.bodies != .none)
  }

  private func makeTarget() throws(CommandFailure) -> OutputFile {
    if let output { return try OutputFile(path: output, replacing: replaces) }
    guard !Terminal.isTerminal else {
      throw CommandFailure(
        status: .usage, what: "report", why: "a terminal cannot show HTML", remedy: "name a file with -o, or send stdout to one")
    }
    return OutputFile(showing: .lines)
  }

  private static func text(of summary: ReportSummary, missingBodies: Int) -> String {
    var facts = [Count.text(summary.exchanges, "exchange"), ByteCountText.long(summary.bytes)]
    if summary.cutBodies > 0 { facts.append("\(Count.text(summary.cutBodies, "body", "bodies")) cut or left out") }
    if missingBodies > 0 { facts.append("\(Count.text(missingBodies, "body", "bodies")) in files not found; see --bodies-from") }
    if summary.leftOut > 0 {
      facts.append(
        "\(Count.text(summary.leftOut, "exchange")) left out, the quickest without an error; see --max-size and --filter")
    }
    return facts.joined(separator: ", ")
  }
}
