internal import ArgumentParser
internal import TapelineHAR
internal import TapelineLive
internal import TapelineOffline

/// `tapeline rules`: the rules of a recording, on and off.
struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules",
    abstract: "List the rules of a running recording, and turn them off and on.",
    usage: "tapeline rules [<options>]",
    discussion: """
      Prints for each rule how many exchanges it matched, and how many of these it changed. A rule that is off changes and counts \
      nothing. docs/conditions.md has the language of --rule.

      EXAMPLES
        tapeline rules
        tapeline rules --off 2
        tapeline rules --json | jq '.rules[].applied'
      """)

  @Option(help: ArgumentHelp("Turn the rule with this number off; repeatable.", valueName: "n"))
  var off: [Int] = []

  @Option(help: ArgumentHelp("Turn the rule with this number on again; repeatable.", valueName: "n"))
  var on: [Int] = []

  @Flag(help: "Print one JSON object on one line.")
  var json = false

  @OptionGroup
  var control: ControlOptions

  func validate() throws {
    if !off.isEmpty, !on.isEmpty { throw ValidationError("--on and --off: give one of the two at a time") }
  }

  mutating func run() throws {
    let rules = try control.client(for: "rules").rules(turned: off + on, off: on.isEmpty)
    if json { return try StandardOutput.print(json: .object(ListedRule.members(rules))) }
    if !rules.isEmpty { try StandardOutput.print(ListedRule.lines(rules)) }
  }
}
