internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
internal import TapelineSystem
internal import TapelineTime

/// `tapeline wait`: waits until nothing is in flight.
struct WaitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wait",
    abstract: "Wait until a running recording has had nothing in flight for a while.",
    usage: "tapeline wait [<options>]",
    discussion: """
      Streams do not count as in flight, unless you give --streams: responses that have begun, are of type text/event-stream or \
      multipart/x-mixed-replace, and have no length; WebSockets and other upgraded connections; tunnels that are not decrypted. \
      A download counts, however long it takes. The quiet time starts at the call or later. Exits with 1 if the recording was \
      not quiet for that long before the time-out.

      EXAMPLES
        tapeline wait
        tapeline wait --quiet 2s --timeout 1m && tapeline snapshot -o page.har
      """)

  @Option(help: ArgumentHelp("How long nothing may be in flight.", valueName: "time"))
  var quiet = DurationArgument(.milliseconds(500))

  @Option(help: ArgumentHelp("Give up after this.", valueName: "time"))
  var timeout = DurationArgument(.seconds(30))

  @Flag(help: "Wait for streams to end as well.")
  var streams = false

  @OptionGroup
  var control: ControlOptions

  func validate() throws {
    guard quiet.duration <= timeout.duration else {
      throw ValidationError(
        "--quiet \(quiet): longer than --timeout \(timeout), so it could not succeed; give a longer --timeout")
    }
  }

  mutating func run() throws {
    let client = try control.client(for: "wait")
    let wait = QuietWait(quiet: quiet.duration, timeout: timeout.duration, countsStreams: streams, start: .now)
    guard let awaited = try wait.wait(for: client) else { return }
    throw CommandFailure(
      status: .conditionFailed, what: "wait", why: "never quiet for \(quiet) within \(timeout), \(awaited) in flight",
      remedy: "see tapeline status, or wait longer with --timeout")
  }
}
