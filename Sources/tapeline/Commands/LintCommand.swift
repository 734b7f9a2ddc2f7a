internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline lint FILE`: finds faults that readers would reject, in a log by any program.
struct LintCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Find and repair the errors for which readers reject a HAR.",
    usage: "tapeline lint <file> [<options>]",
    discussion: """
      Prints a line for each finding: its place, its severity, a sentence, and the rule. Errors break HAR 1.2, or make a program \
      that --profile names refuse the log; warnings confuse some readers. Exits with 1 if there are errors, or, with --fix, if \
      errors remain. docs/lint.md lists every rule.

      EXAMPLES
        tapeline lint session.har
        tapeline lint session.har --profile devtools
        tapeline lint charles.har --fix -o clean.har
        tapeline lint session.har --json | jq -r .rule
        tapeline lint - < session.har
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Option(
    help: ArgumentHelp("Also check the rules of this program: \(Self.programs); repeatable.", valueName: "program"),
    transform: Self.profile)
  var profile: [HARProfile] = []

  @Flag(help: "Print each finding as a JSON object on a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print only errors and findings: no progress, no last line.")
  var quiet = false

  @Flag(help: "Write a repaired log to the file that -o names.")
  var fix = false

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The file for --fix; must not exist, unless --force is given.", valueName: "file"))
  var output: String?

  @OptionGroup
  var overwriting: OverwritingOptions

  private static let programs = HARProfile.allCases.map(\.rawValue).joined(separator: ", ")

  private static func profile(_ text: String) throws -> HARProfile {
    guard let profile = HARProfile(rawValue: text) else {
      throw ValidationError("--profile \(text): not known; choose one of \(programs)")
    }
    return profile
  }

  func validate() throws {
    try overwriting.validate(output: output)
    if fix != (output != nil) {
      throw ValidationError(fix ? "--fix: say where to write with -o FILE" : "-o: it goes with --fix; give both")
    }
  }

  mutating func run() throws {
    let source = try CaptureFile.source(file, for: fix ? .again : .once)
    var progress = Progress(of: "lint", passes: fix ? 2 : 1, isQuiet: quiet)
    defer { progress.end() }
    let lint = try look(at: source, &progress)
    if let output { try repair(source, lint, to: output, &progress) }
    progress.end()
    if !quiet { Console.say(Self.summary(file == "-" ? "standard input" : file, lint, isFixed: fix)) }
    let isBad = fix ? lint.unfixableCount > 0 : lint.errorCount > 0
    if isBad { throw ExitCode(ExitStatus.conditionFailed.rawValue) }
  }

  private func look(at source: InputSource, _ progress: inout Progress) throws(CommandFailure) -> HARLint {
    var lint = HARLint(profiles: Set(profile))
    var output = StandardOutput()
    var findings: [HARFinding] = []
    var log = LogFile(source)
    do throws(CommandFailure) {
      while try log.read() {
        do throws(HARReadError) {
          try log.withPiece { (piece) throws(HARReadError) in try lint.feed(piece) { findings.append($0) } }
        } catch {
          throw log.failure(error)
        }
        if !findings.isEmpty { progress.end() }
        try print(&findings, to: &output)
        progress.show(log.progress)
      }
      do throws(HARReadError) {
        try lint.finish { findings.append($0) }
      } catch {
        throw log.failure(error)
      }
    } catch {
      // The findings before the damage are a result too.
      try print(&findings, to: &output)
      try output.flush()
      throw error
    }
    if !findings.isEmpty { progress.end() }
    try print(&findings, to: &output)
    try output.flush()
    return lint
  }

  private func print(_ findings: inout [HARFinding], to output: inout StandardOutput) throws(CommandFailure) {
    for finding in findings {
      if json { try output.write(json: finding.json.json) } else { try output.write(line: Self.line(finding)) }
    }
    findings.removeAll(keepingCapacity: true)
  }

  private func repair(_ source: InputSource, _ lint: HARLint, to path: String, _ progress: inout Progress) throws(CommandFailure)
  {
    progress.beginPass()
    let target = try OutputFile(path: path, replacing: overwriting.force)
    var repair = HARRepair(lint) { (piece) throws(CommandFailure) in try target.write(piece) }
    var log = LogFile(source)
    do throws(HARRepair<CommandFailure>.Interruption) {
      while try next(&log) {
        try log.withPiece { (piece) throws(HARRepair<CommandFailure>.Interruption) in try repair.feed(piece) }
        progress.show(log.progress)
      }
      try repair.finish()
    } catch {
      switch error {
      case .malformed(let error): throw log.failure(error)
      case .sink(let failure): throw failure
      }
    }
    try target.finish()
  }

  /// Reads on. A file that cannot be read ends the repair, as a full disk does.
  private func next(_ log: inout LogFile) throws(HARRepair<CommandFailure>.Interruption) -> Bool {
    do throws(CommandFailure) {
      return try log.read()
    } catch {
      throw .sink(error)
    }
  }

  static func line(_ finding: HARFinding) -> String {
    let remark = finding.isFixable ? "" : " (not fixable)"
    return "\(finding.path): \(finding.severity.rawValue): \(finding.message)\(remark) [\(finding.rule.rawValue)]".printable
  }

  static func summary(_ file: String, _ lint: HARLint, isFixed: Bool) -> String {
    let entries = Count.text(lint.entryCount, "entry", "entries")
    guard lint.errorCount + lint.warningCount > 0 else { return "\(file): nothing wrong in \(entries)" }
    let errors = Count.text(lint.errorCount, "error", "errors")
    let warnings = Count.text(lint.warningCount, "warning", "warnings")
    let found = "\(file): \(errors), \(warnings) in \(entries)"
    guard isFixed else { return found }
    return found + (lint.unfixableCount == 0 ? "; all repaired" : "; repaired but \(lint.unfixableCount)")
  }
}
