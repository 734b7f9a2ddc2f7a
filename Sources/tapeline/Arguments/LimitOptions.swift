internal import ArgumentParser

/// How much the proxy takes, and how long it waits.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Event loops. (default: one per core, at most 4)", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Give up connecting to an address after this.", valueName: "time"))
  var connectTimeout = DurationArgument(seconds: 10)

  @Option(help: ArgumentHelp("Close a connection that was silent for this long.", valueName: "time"))
  var idleTimeout = DurationArgument(seconds: 60)

  @Option(help: ArgumentHelp("Give a client this long to send a request head.", valueName: "time"))
  var headerTimeout = DurationArgument(seconds: 30)

  @Option(help: ArgumentHelp("Give a server this long to send a response head.", valueName: "time"))
  var responseTimeout = DurationArgument(seconds: 300)

  @Option(help: ArgumentHelp("The most octets of header fields in one message.", valueName: "size"))
  var maxHeaderSize = SizeArgument(octets: 64 << 10)

  @Option(help: ArgumentHelp("Client connections at a time. (default: by the descriptor limit)", valueName: "n"))
  var maxConnections: Int?

  private static let headerLimits = (1 << 10)...(1 << 20)
  private static let threadLimits = 1...64

  func validate() throws {
    if let threads {
      try require("--threads", threads, Self.threadLimits.contains(threads), "between 1 and 64")
    }
    if let maxConnections {
      try require("--max-connections", maxConnections, maxConnections > 0, "above 0")
    }
    try require("--max-header-size", maxHeaderSize, Self.headerLimits.contains(maxHeaderSize.octets), "between 1KiB and 1MiB")
    for (name, time) in [
      ("--connect-timeout", connectTimeout), ("--idle-timeout", idleTimeout), ("--header-timeout", headerTimeout),
      ("--response-timeout", responseTimeout),
    ] {
      try require(name, time, time.nanoseconds > 0, "above 0")
    }
  }
}
