internal import ArgumentParser
internal import TapelineInspect

/// How a capture answers.
struct ReplayAnsweringOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How long answers take: none, recorded, or a factor as in 0.5x.", valueName: "time"))
  var timing = ReplayTiming.none

  @Option(
    name: .customLong("ignore-param"),
    help: ArgumentHelp("Find answers without regard to this query parameter; may repeat.", valueName: "name"))
  var ignoredParameters: [String] = []

  @Flag(help: "Find answers without regard to the query.")
  var ignoreQuery = false

  @Flag(help: "Let the network answer what the capture does not have.")
  var passMisses = false

  @Flag(name: .customLong("strict-misses"), help: "Exit with 1 when a request was not in the capture.")
  var strict = false

  var folding: ReplayKey.Folding {
    var folding = ReplayKey.Folding()
    folding.ignoredParameters = Set(ignoredParameters)
    folding.ignoresQuery = ignoreQuery
    return folding
  }
}
