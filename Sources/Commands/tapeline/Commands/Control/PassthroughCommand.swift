internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
internal import TapelineHAR
internal import TapelineTime

/// `tapeline passthrough`: the clients that are passed through, and how to intercept them again.
struct PassthroughCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passthrough",
    abstract: "List the clients that are passed through because they refuse our certificate.",
    usage: "tapeline passthrough [<options>]",
    discussion: """
      A client that has refused our certificate for a host twice within a minute (in tapeline run: once) is passed through to \
      that host, unread, for ten minutes, so that it works. --clear forgets all refusals, and the next connection is intercepted \
      again: use it when a client trusts us by now. Prints the clients that were passed through until now.

      EXAMPLES
        tapeline passthrough
        tapeline passthrough --clear
        tapeline passthrough --json | jq -r '.passthrough[].host'
      """)

  @Flag(help: "Forget the clients that refused, and intercept them again.")
  var clear = false

  @Flag(help: "Print one JSON object on one line, times in microseconds since 1970.")
  var json = false

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    let clients = try control.client(for: "passthrough").passedThrough(clear: clear)
    if json { return try StandardOutput.print(json: ["passthrough": .array(clients.map(\.value))]) }
    guard !clients.isEmpty else { return }
    try StandardOutput.print(
      PassthroughText.lines(for: clients, at: Int(WallClockAnchor.read().unixNanoseconds / 1_000)))
  }
}
