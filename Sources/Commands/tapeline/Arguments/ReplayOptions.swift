internal import ArgumentParser
internal import TapelineInspect
internal import TapelineOffline

/// How a capture answers.
struct ReplayAnsweringOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The time that answers take: none, recorded, or a factor as in 0.5x.", valueName: "time"))
  var timing = ReplayTiming.none

  @Option(
    name: .customLong("ignore-param"),
    help: ArgumentHelp("Ignore this query parameter when finding answers; repeatable.", valueName: "name"))
  var ignoredParameters: [String] = []

  @Flag(help: "Ignore the query when finding answers.")
  var ignoreQuery = false

  @Flag(help: "Let the network answer requests that are not in the capture.")
  var passMisses = false

  @Flag(name: .customLong("strict-misses"), help: "Exit with 1 if a request was not in the capture.")
  var strict = false

  var folding: ReplayKey.Folding {
    var folding = ReplayKey.Folding()
    folding.ignoredParameters = Set(ignoredParameters)
    folding.ignoresQuery = ignoreQuery
    return folding
  }
}

/// How the requests of a capture are sent again.
struct ReplaySendingOptions: ParsableArguments {
  @Flag(help: "Send the capture's requests again and record the results; needs -o.")
  var send = false

  @Option(help: ArgumentHelp("Send this many requests at a time, with --timing none.", valueName: "n"))
  var parallel = 1

  @Option(help: ArgumentHelp("Send only requests that match; --filter selects what is recorded.", valueName: "query"))
  var only: String?

  private static let parallelLimits = 1...256

  func validate() throws {
    try require("--parallel", parallel, Self.parallelLimits.contains(parallel), "between 1 and 256")
    _ = try query()
  }

  /// `nil` for all requests.
  func query() throws -> Query? {
    guard let only else { return nil }
    return try parsing(only, as: "--only") { (text) throws(QueryError) in try Query(text) }
  }
}
