internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline assert FILE RULE…`: checks a capture against rules.
struct AssertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assert",
    abstract: "Check rules on a HAR: times, counts, statuses, hosts.",
    usage: "tapeline assert <file> <rule> ... [--rules <file>] [<options>]",
    discussion: """
      A rule compares a number made from many exchanges (p50, p95, p99.9 …, max, min, mean, sum, count, ratio) with a value or \
      with a baseline; or says what holds for all, any or none of them; or says that nothing is new. Conditions and fields are \
      those of --filter. A rule that matches no exchange fails, unless a ? follows its ); so does an empty capture, whatever the \
      rules, unless you give --allow-empty. A failed rule names the exchanges to blame by their numbers, for tapeline show. If a \
      capture has several pages (tapeline mark), junit makes a suite for each, in which a rule fails if the page's exchanges are \
      to blame. Exits with 1 if a rule fails, and with 64 if one is invalid. docs/assert.md describes the rules.

      EXAMPLES
        tapeline assert session.har 'p95(wait, host ~ "api") < 200ms' 'count(status >= 500) == 0'
        tapeline assert session.har 'ratio(error) < 1%' 'sum(resp.size) <= 2MiB' 'none(scheme == "http")'
        tapeline assert session.har 'all(resp.header["cache-control"], path like "/static/*")?'
        tapeline assert session.har 'p95(total) <= 110% of baseline.har' 'new hosts <= baseline.har'
        tapeline assert session.har --rules ci/rules.txt --format junit > report.xml
      """)

  @Argument(help: ArgumentHelp("The HAR to read; - for stdin.", valueName: "file"))
  var file: String

  @Argument(help: ArgumentHelp("A rule, in quotes.", valueName: "rule"))
  var rule: [String] = []

  @Option(help: ArgumentHelp("A file with a rule per line, # before comments; repeatable.", valueName: "file"))
  var rules: [String] = []

  @Option(help: "How to print: text, junit (XML), github (annotations of a workflow) or json.")
  var format = Format.text

  @Option(help: ArgumentHelp("Name at most this many exchanges for a failed rule.", valueName: "n"))
  var top = 5

  @Option(
    help: ArgumentHelp(
      "Fail if there are fewer exchanges than this after --filter; needs no rule. (default: 1)", valueName: "n"))
  var minExchanges: Int?

  @Flag(help: "Permit a capture without exchanges.")
  var allowEmpty = false

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var style: StyleOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case junit
    case github
    case json
  }

  func validate() throws {
    if let minExchanges {
      try require("--min-exchanges", minExchanges, minExchanges >= 0, "of 0 or more")
      if allowEmpty, minExchanges > 0 {
        throw ValidationError("--allow-empty and --min-exchanges \(minExchanges): they contradict each other; give one")
      }
    }
    if rule.isEmpty, rules.isEmpty, minExchanges == nil {
      throw ValidationError("no rule: nothing to check; give one like 'count(status >= 500) == 0', or --rules <file>")
    }
    if top < 0 {
      throw ValidationError("--top \(top): out of range; give 0 or more")
    }
    _ = try commandLineRules()
  }

  mutating func run() throws {
    let assertions = try fileRules() + commandLineRules()
    let filter = try selection.query()
    let report = try AssertionRun(of: assertions, naming: top).report(
      on: file, filter: filter, required: allowEmpty ? 0 : minExchanges ?? 1, byPage: format == .junit)
    try print(report)
    if report.failures > 0 { throw ExitCode(ExitStatus.conditionFailed.rawValue) }
  }

  private func print(_ report: AssertionReport) throws {
    try style.print(json: format == .json ? report.json : nil) { width, palette in
      switch format {
      case .text, .json: report.text(width: width, palette: palette)
      case .junit: report.junit.map(\.printableLines)
      case .github: report.githubAnnotations.map(\.printable)
      }
    }
  }

  // MARK: Rules

  private func commandLineRules() throws -> [Assertion] {
    try rule.map { text in
      try parsing(text, as: "rule") { (text) throws(QueryError) in try Assertion(text) }
    }
  }

  private func fileRules() throws -> [Assertion] {
    var assertions: [Assertion] = []
    for path in rules {
      let text = try AssertionRun.text(ofRules: path)
      do throws(RulesText.Failure) {
        assertions += try RulesText.rules(in: text, of: path)
      } catch {
        let place = "\(path), line \(error.origin.line), \(error.error); \(error.error.remedy)"
        throw ValidationError(([place] + error.error.excerpt(of: error.text)).joined(separator: "\n"))
      }
    }
    if assertions.isEmpty, rule.isEmpty, !rules.isEmpty {
      throw ValidationError("--rules \(rules.joined(separator: ", ")): no rule in it; write one a line")
    }
    return assertions
  }
}
