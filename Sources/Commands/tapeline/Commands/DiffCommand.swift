internal import ArgumentParser
internal import TapelineOffline
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline diff BEFORE AFTER`: the changes between two captures.
struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare two HARs: times, statuses, sizes, headers, redirects.",
    usage: "tapeline diff <before> <after> [--fail <limit>] [<options>]",
    discussion: """
      Exchanges are matched by method and URL, without numbers, UUIDs, hashes and dates in the path and without the values of \
      the query, and equal ones in sequence. Each request is compared with itself, and slower and faster mean more than chance, \
      corrected for the number of requests. The first sentence is the worst finding. Header fields that always differ (Date, ETag, \
      request ids, the values of cookies …) are not compared. Exits with 1 only if a limit of --fail is broken. docs/diff.md \
      describes the rules.

      LIMITS
        'p95 +10%'  'p50(wait) +20ms'   a percentile of a time, of any request; with pooled, of all exchanges together
        'size +5%'  'wire +1MiB'  'count +0'  'errors +0'   of all exchanges; a fall is limited by - in place of +
        'new errors'  'new requests'  'new hosts'  'removed requests'
        'changed status'  'changed redirects'  'changed versions'  'changed headers'

      EXAMPLES
        tapeline diff before.har after.har
        tapeline diff before.har after.har --filter 'host ~ "api"' --ignore-header 'x-build-*'
        tapeline diff main.har branch.har --fail 'p95 +10%' --fail 'new errors'
        tapeline diff main.har branch.har --format markdown >> "$GITHUB_STEP_SUMMARY"
        tapeline diff production.har staging.har --ignore-host
      """)

  @Argument(help: ArgumentHelp("The HAR to compare with; - for stdin.", valueName: "before"))
  var before: String

  @Argument(help: ArgumentHelp("The HAR to compare; - for stdin.", valueName: "after"))
  var after: String

  @Option(help: ArgumentHelp("A limit, in quotes; exit with 1 if it is broken; repeatable.", valueName: "limit"))
  var fail: [String] = []

  @Option(help: ArgumentHelp("A header field to ignore, * for any characters; repeatable.", valueName: "name"))
  var ignoreHeader: [String] = []

  @Flag(help: "Match by method and path only: scheme, host and port may differ.")
  var ignoreHost = false

  @Option(help: "How to print: text, markdown (for a pull request) or json.")
  var format = Format.text

  @Option(help: ArgumentHelp("Print at most this many items of a list.", valueName: "n"))
  var top = 10

  @OptionGroup
  var selection: FilterOptions

  @OptionGroup
  var style: StyleOptions

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text
    case markdown
    case json
  }

  func validate() throws {
    if top < 1 {
      throw ValidationError("--top \(top): out of range; give a number above 0")
    }
    if before == "-", after == "-" {
      throw ValidationError("standard input: it is only one capture; name a file for the other")
    }
    _ = try limits()
  }

  mutating func run() throws {
    let limits = try limits()
    let difference = Difference(before: try profile(of: before), after: try profile(of: after))
    let verdicts = limits.map { $0.judge(difference, naming: top) }
    try print(difference, verdicts)
    if verdicts.contains(where: \.isBroken) { throw ExitCode(ExitStatus.conditionFailed.rawValue) }
  }

  private func limits() throws -> [DifferenceLimit] {
    try fail.map { text in
      try parsing(text, as: "--fail") { (text) throws(QueryError) in try DifferenceLimit(text) }
    }
  }

  private func profile(of path: String) throws -> CaptureProfile {
    let options = MatchingOptions(ignoredHeaders: IgnoredHeaders(more: ignoreHeader), ignoresHost: ignoreHost)
    return try CaptureProfile.read(path, options, filter: try selection.query())
  }

  private func print(_ difference: Difference, _ verdicts: [LimitVerdict]) throws {
    try style.print(json: format == .json ? difference.json(verdicts: verdicts) : nil) { width, palette in
      format == .markdown
        ? DifferenceMarkdown(difference, verdicts: verdicts, limit: top).lines
        : DifferenceText(difference, verdicts: verdicts, limit: top, width: width, palette: palette).lines
    }
  }
}
