internal import ArgumentParser

/// How much the proxy takes, and how long it waits.
struct LimitOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The number of event loops. (default: one per core, at most 4)", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Give up connecting to an address after this time. (default: the system's)", valueName: "time"))
  var connectTimeout: DurationArgument?

  @Option(help: ArgumentHelp("Close a connection that was silent for this time. (default: never)", valueName: "time"))
  var idleTimeout: DurationArgument?

  @Option(help: ArgumentHelp("Give a client this time to send a request head. (default: no limit)", valueName: "time"))
  var headerTimeout: DurationArgument?

  @Option(
    help: ArgumentHelp("Give a server this time to send a response head. (default: no limit)", valueName: "time"))
  var responseTimeout: DurationArgument?

  @Option(help: ArgumentHelp("The maximum size of the header fields of a message.", valueName: "size"))
  var maxHeaderSize = SizeArgument(bytes: 64 << 10)

  @Option(help: ArgumentHelp("The maximum number of client connections. (default: from the descriptor limit)", valueName: "n"))
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
    try require("--max-header-size", maxHeaderSize, Self.headerLimits.contains(maxHeaderSize.bytes), "between 1KiB and 1MiB")
    for (name, time) in [
      ("--connect-timeout", connectTimeout), ("--idle-timeout", idleTimeout), ("--header-timeout", headerTimeout),
      ("--response-timeout", responseTimeout),
    ] {
      if let time { try require(name, time, time.duration > .zero, "above 0") }
    }
  }
}

/// How far the proxy may change what it records.
struct FaithfulnessOptions: ParsableArguments {
  @Flag(
    name: .customLong("share-connections"),
    help: "Share the connections to servers among all clients, instead of opening and closing each as its client does.")
  var sharesConnections = false

  @Flag(
    name: .customLong("http1"),
    help: "Speak HTTP/1.1 alone, as earlier versions did. (default: HTTP/2 too, where client and server do)")
  var speaksHTTP1Alone = false

  @Flag(
    name: .customLong("via"),
    help: "Add Via to messages (RFC 9110 7.6.3). Some servers then stop compressing.")
  var namesItself = false

  @Flag(
    name: .customLong("strip-alt-svc"),
    help: "Take Alt-Svc (RFC 7838) out of responses, so that clients do not go on over QUIC, past the proxy.")
  var stripsAlternatives = false
}
