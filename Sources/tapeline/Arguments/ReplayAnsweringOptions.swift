internal import ArgumentParser
internal import TapelineInspect

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
