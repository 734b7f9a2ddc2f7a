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

  @Option(help: ArgumentHelp("Take rules from the lines of a file, again when it changes; repeatable.", valueName: "file"))
  var rules: [String] = []

  @Option(help: ArgumentHelp("The number that decides what is left to chance.", valueName: "n"))
  var seed: UInt64 = 1

  func current(isQuiet: Bool) throws(CommandFailure) -> (@Sendable () -> InjectionRules)? {
    try RuleSet.rules(lines, files: rules, seed: seed, environment: ProcessEnvironment.variables(), isQuiet: isQuiet)
  }
}
