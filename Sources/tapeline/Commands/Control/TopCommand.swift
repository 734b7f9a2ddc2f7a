internal import ArgumentParser
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
  var interval = DurationArgument(seconds: 1)

  @Option(help: ArgumentHelp("The time up to now that the figures cover.", valueName: "time"))
  var window = DurationArgument(seconds: 10)

  @Option(help: ArgumentHelp("End after this many updates.", valueName: "n"))
  var count: Int?

  @Flag(help: "Print one JSON object on a line per update, times in milliseconds.")
  var json = false

  @OptionGroup
  var style: StyleOptions

  @OptionGroup
  var control: ControlOptions

  private static let shortestInterval: Int64 = 50_000_000

  func validate() throws {
    try require("--interval", interval, interval.nanoseconds >= Self.shortestInterval, "of at least 50ms")
    try require("--window", window, window.nanoseconds >= interval.nanoseconds, "of at least the interval")
    if let count { try require("--count", count, count > 0, "above 0") }
  }

  mutating func run() throws {
    if json || !Terminal.isTerminal {
      try printLines(of: control.client(for: "top"))
    } else {
      let recording = try control.target.recording()
      try show(recording.client, title: "\(recording.status.title), \(recording.text)")
    }
  }

  private func printLines(of client: ControlClient) throws(CommandFailure) {
    var window = TrafficWindow(nanoseconds: window.nanoseconds)
    _ = window.add(try client.traffic())
    let text = TrafficText(width: .max, height: 0, palette: Palette(isColored: false))
    var output = StandardOutput()
    for _ in 0..<(count ?? .max) {
      SystemThread.sleep(nanoseconds: interval.nanoseconds)
      guard let reading = latest(client) else { return }
      guard let passed = window.add(reading) else { continue }
      if json { try output.write(json: passed.json) } else { try output.write(line: text.line(passed)) }
      try output.flush()
    }
  }

  private func show(_ client: ControlClient, title: String) throws(CommandFailure) {
    var window = TrafficWindow(nanoseconds: window.nanoseconds)
    let environment = ProcessEnvironment.variables()
    _ = window.add(try client.traffic())
    let screen = LiveScreen()
    for _ in 0..<(count ?? .max) {
      guard case .timeUp = screen.wait(milliseconds: Int(interval.nanoseconds / 1_000_000)) else { return }
      guard let reading = latest(client), let passed = window.add(reading) else { return }
      let text = TrafficText(
        width: Terminal.width(environment: environment), height: screen.height, palette: style.palette(environment: environment))
      screen.show(text.screen(passed, title: title))
    }
  }

  /// `nil` when the recording has ended, which also ends the view.
  private func latest(_ client: ControlClient) -> RecordingTraffic? {
    do throws(CommandFailure) {
      return try client.traffic()
    } catch {
      return nil
    }
  }
}
