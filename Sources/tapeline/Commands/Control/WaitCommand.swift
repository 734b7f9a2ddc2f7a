internal import ArgumentParser
internal import TapelineTime

/// `tapeline wait`: until nothing is in flight.
struct WaitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until a running recording has had nothing in flight for a while.",
    discussion: """
      Tunnels and WebSockets that stand open do not count as in flight. The quiet time counts from the call at the earliest. \
      Exits with 1 when it was never quiet for so long before the time-out.

      EXAMPLES
        tapeline wait
        tapeline wait --quiet 2s --timeout 1m && tapeline snapshot -o page.har
      """)

  @Option(help: ArgumentHelp("For how long nothing may be in flight.", valueName: "time"))
  var quiet = DurationArgument(nanoseconds: 500_000_000)

  @Option(help: ArgumentHelp("Give up after this.", valueName: "time"))
  var timeout = DurationArgument(seconds: 30)

  @OptionGroup
  var control: ControlOptions

  func validate() throws {
    guard quiet.nanoseconds <= timeout.nanoseconds else {
      throw ValidationError(
        "--quiet \(quiet): longer than --timeout \(timeout), so it could not succeed; give a longer --timeout")
    }
  }

  mutating func run() throws {
    let client = try control.client()
    let wait = QuietWait(quiet: quiet.nanoseconds, timeout: timeout.nanoseconds, start: .now)
    while true {
      let traffic = try client.status().traffic
      switch wait.step(for: traffic, at: .now) {
      case .quiet: return
      case .ask(let interval): pause(nanoseconds: interval)
      case .timedOut:
        throw CommandFailure(
          status: .conditionFailed, what: "wait",
          why: "never quiet for \(quiet) within \(timeout), \(traffic.inFlight) in flight",
          remedy: "see tapeline status, or wait longer with --timeout")
      }
    }
  }
}
