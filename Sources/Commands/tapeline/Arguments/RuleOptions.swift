internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineProxy
internal import TapelineSystem

/// The options for what is done to exchanges on purpose.
struct RuleOptions: ParsableArguments {
  @Option(
    name: .customLong("rule"),
    help: ArgumentHelp(
      "Do something to requests that match, as in 'path == \"/slow\": delay 2s'; repeatable.",
      discussion: "docs/conditions.md has the actions.", valueName: "rule"))
  var lines: [String] = []

  @Option(name: .customLong("rules"), help: ArgumentHelp("Take rules from the lines of a file; repeatable.", valueName: "file"))
  var files: [String] = []

  @Option(help: ArgumentHelp("The number that decides what is left to chance.", valueName: "n"))
  var seed: UInt64 = 1

  func rules() throws(CommandFailure) -> InjectionRules? {
    try RuleSet.rules(lines, files: files, seed: seed, environment: ProcessEnvironment.variables())
  }
}
