internal import ArgumentParser
internal import TapelineInspect
internal import TapelineLive
internal import TapelineOffline
internal import TapelineProxy
internal import TapelineSystem

/// The options for what is done to exchanges on purpose.
struct ConditionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Have this network: slow-4g, fast-4g, 3g, rtt=150ms,down=1.6Mbit,up=750kbit and perhaps jitter=, loss=, queue=; or trace:FILE. run gives it to the command, as with --all; record and replay delay exchanges instead.",
      valueName: "network"))
  var network: String?

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

  func validate() throws {
    if let network { _ = try parsing(network, as: "--network") { (text) throws(QueryError) in try LinkProfile(text) } }
  }

  var link: LinkProfile? { network.flatMap { try? LinkProfile($0, seed: seed) } }

  /// - Parameter link: the rules of a network whose packets nobody holds.
  func current(with link: LinkProfile?, isQuiet: Bool) throws(CommandFailure) -> (@Sendable () -> InjectionRules)? {
    try RuleSet.rules(
      (link?.rules ?? []) + lines, files: rules, seed: seed, environment: ProcessEnvironment.variables(), isQuiet: isQuiet)
  }
}
