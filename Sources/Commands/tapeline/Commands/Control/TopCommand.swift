internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
internal import TapelineInspect
internal import TapelineSystem

/// `tapeline top`: what is passing through a recording now.
struct TopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Watch the traffic of a running recording.",
    usage: "tapeline top [<options>]",
    discussion: """
      Shows for each host: exchanges per second, percentiles of their time, responses with a status of 400 or more, failures, \
      bytes, all over the last --window. On a terminal q ends it; otherwise it prints a line per --interval. It ends with the \
      recording.

      EXAMPLES
        tapeline top
        tapeline top --window 1m
        tapeline top --json --count 10 | jq .p95
      """)

  @Option(help: ArgumentHelp("The time between updates.", valueName: "time"))
  var interval = DurationArgument(.seconds(1))

  @Option(help: ArgumentHelp("The time up to now that the figures cover.", valueName: "time"))
  var window = DurationArgument(.seconds(10))

  @Option(help: ArgumentHelp("End after this many updates.", valueName: "n"))
  var count: Int?

  @Flag(help: "Print one JSON object on a line per update, times in milliseconds.")
  var json = false

  @OptionGroup
  var style: StyleOptions

  @OptionGroup
  var control: ControlOptions

  private static let shortestInterval = Duration.milliseconds(50)

  func validate() throws {
    try require("--interval", interval, interval.duration >= Self.shortestInterval, "of at least 50ms")
    try require("--window", window, window.duration >= interval.duration, "of at least the interval")
    if let count { try require("--count", count, count > 0, "above 0") }
  }

  mutating func run() throws {
    let printsLines = json || !Terminal.isTerminal
    let recording = printsLines ? nil : try control.target.recording()
    let view = TrafficView(
      of: try recording?.client ?? control.client(for: "top"), every: interval.duration, over: window.duration,
      count: count)
    guard let recording else { return try view.printLines(asJSON: json) }
    let environment = ProcessEnvironment.variables()
    try view.show(
      title: "\(recording.status.title), \(recording.text)", environment: environment,
      palette: style.palette(environment: environment))
  }
}
