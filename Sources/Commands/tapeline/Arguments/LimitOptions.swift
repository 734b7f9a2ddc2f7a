internal import ArgumentParser
internal import TapelineHTTP
internal import TapelineProxy

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

  @Option(
    help: ArgumentHelp(
      "The maximum size of the header fields of a message, and of each of its other lines.", valueName: "size"))
  var maxHeaderSize = SizeArgument(bytes: HTTPLimits.standard.headerBlock)

  @Option(help: ArgumentHelp("The maximum number of header fields of a message.", valueName: "n"))
  var maxHeaderFields = HTTPLimits.standard.fields

  @Option(
    help: ArgumentHelp(
      "Pass on messages that two programs could understand differently: \(Self.rules); repeatable.", valueName: "rule"))
  var tolerate: [String] = []

  @Option(help: ArgumentHelp("The maximum number of client connections. (default: from the descriptor limit)", valueName: "n"))
  var maxConnections: Int?

  private static let headerLimits = (1 << 10)...(16 << 20)
  private static let fieldLimits = 10...1_000_000
  private static let rules = Tolerance.all.map(\.refusal.rawValue).joined(separator: ", ")
  private static let threadLimits = 1...64

  /// The bounds and rules for messages.
  var messages: HTTPLimits {
    HTTPLimits(headerBlock: maxHeaderSize.bytes, fields: maxHeaderFields, tolerance: Tolerance(names: tolerate) ?? [])
  }

  func validate() throws {
    if let threads {
      try require("--threads", threads, Self.threadLimits.contains(threads), "between 1 and 64")
    }
    if let maxConnections {
      try require("--max-connections", maxConnections, maxConnections > 0, "above 0")
    }
    try require("--max-header-size", maxHeaderSize, Self.headerLimits.contains(maxHeaderSize.bytes), "between 1KiB and 16MiB")
    try require(
      "--max-header-fields", maxHeaderFields, Self.fieldLimits.contains(maxHeaderFields), "between 10 and 1000000")
    for rule in tolerate where Tolerance(names: [rule]) == nil {
      throw ValidationError("--tolerate does not know \(rule): name \(Self.rules)")
    }
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
  @Option(
    help: ArgumentHelp(
      "How a client hears of a server that fails: by a page, or by the end of its connection, as it would directly. (default: connection in run, else page)",
      valueName: "how"))
  var failures: FailurePolicy?

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
