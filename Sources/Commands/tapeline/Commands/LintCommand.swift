internal import ArgumentParser
internal import TapelineOffline
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
    let lint = LintRun(of: file, profiles: Set(profile), printsJSON: json, isQuiet: quiet)
    let hasErrors = try lint.run(repairingTo: output, replacing: overwriting.force)
    if hasErrors { throw ExitCode(ExitStatus.conditionFailed.rawValue) }
  }
}
