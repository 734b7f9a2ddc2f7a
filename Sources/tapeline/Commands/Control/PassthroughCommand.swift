internal import ArgumentParser
internal import TapelineHAR
internal import TapelineTime

/// `tapeline passthrough`: who is passed through, and not any more.
struct PassthroughCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passthrough",
    abstract: "List the clients that are passed through because they refuse our certificate.",
    usage: "tapeline passthrough [<options>]",
    discussion: """
      A client that has refused our certificate for a host twice within a minute (in tapeline run: once) is passed through to that \
      host, unread, for ten minutes, so that it works. With --clear all of that is forgotten, and the next connection is \
      intercepted again: for when a client has learnt to trust us. Prints what held until then.

      EXAMPLES
        tapeline passthrough
        tapeline passthrough --clear
        tapeline passthrough --json | jq -r '.passthrough[].host'
      """)

  @Flag(help: "Forget who refused, and intercept them again.")
  var clear = false

  @Flag(help: "Print one JSON object in one line, times in microseconds since 1970.")
  var json = false

  @OptionGroup
  var control: ControlOptions

  mutating func run() throws {
    let clients = try control.client(for: "passthrough").passedThrough(clear: clear)
    var output = StandardOutput()
    if json {
      try output.write(json: ["passthrough": .array(clients.map(\.value))])
    } else if !clients.isEmpty {
      let now = Int(WallClockAnchor.read().unixNanoseconds / 1_000)
      try output.write(lines: PassthroughText.lines(for: clients, at: now))
    }
    try output.flush()
  }
}
