internal import ArgumentParser
internal import TapelineLoop

/// The options that `record` and `run` share.
struct CaptureOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Listen here; may repeat. Port 0 takes a free one.", valueName: "host:port"))
  var listen: [EndpointArgument] = []

  @Flag(help: "Allow --listen on an address that other machines can reach.")
  var allowRemote = false

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The HAR to write; never one that exists. (default: tapeline-<UTC time>.har)", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("Write HOST:PORT here once listening, for scripts.", valueName: "file"))
  var portFile: String?

  @Option(help: "Which bodies to keep; all are relayed.")
  var bodies = BodyChoice.all

  @Option(
    help: ArgumentHelp("Keep this much of each body; longer ones are relayed whole and recorded truncated.", valueName: "size"))
  var maxBody = SizeArgument(octets: 1 << 20)

  @Flag(inversion: .prefixedNo, help: "Keep secrets off the disk: credentials, cookies, tokens.")
  var redact = true

  @Option(help: ArgumentHelp("Append the debug description of each exchange as it ends; - for stdout.", valueName: "file"))
  var debugLog: String?

  @Flag(help: "Put the debug description of each exchange into its entry as well (_debug).")
  var debugEntries = false

  @Option(help: ArgumentHelp("Event loops. (default: one per core, at most 4)", valueName: "n"))
  var threads: Int?

  @Option(help: ArgumentHelp("Give up connecting to an address after this.", valueName: "time"))
  var connectTimeout = DurationArgument(seconds: 10)

  @Option(help: ArgumentHelp("Close a connection that was silent for this long.", valueName: "time"))
  var idleTimeout = DurationArgument(seconds: 60)

  @Option(help: ArgumentHelp("Give a client this long to send a request head.", valueName: "time"))
  var headerTimeout = DurationArgument(seconds: 30)

  @Option(help: ArgumentHelp("The most octets of header fields in one message.", valueName: "size"))
  var maxHeaderSize = SizeArgument(octets: 64 << 10)

  @Option(help: ArgumentHelp("Client connections at a time. (default: by the descriptor limit)", valueName: "n"))
  var maxConnections: Int?

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Say also which settings are in force.")
  var verbose = false

  /// Which bodies are kept.
  enum BodyChoice: String, ExpressibleByArgument, CaseIterable {
    case none
    case text
    case all
  }

  /// The most that one body may take in memory, per exchange under way.
  private static let bodyLimits = 0...(256 << 20)
  private static let headerLimits = (1 << 10)...(1 << 20)
  private static let threadLimits = 1...64

  func validate() throws {
    if output == "-" {
      throw ValidationError("--output -: the file is rewritten in place, which a stream cannot be; name a file")
    }
    if !allowRemote, let remote = listen.first(where: { !$0.address.isLoopback }) {
      throw ValidationError(
        "--listen \(remote): other machines could use this proxy and be recorded; add --allow-remote to allow it")
    }
    if quiet, verbose {
      throw ValidationError("--quiet and --verbose: they contradict each other; give one")
    }
    if let threads {
      try require("--threads", "\(threads)", Self.threadLimits.contains(threads), "between 1 and 64")
    }
    if let maxConnections {
      try require("--max-connections", "\(maxConnections)", maxConnections > 0, "above 0")
    }
    try require("--max-body", "\(maxBody)", Self.bodyLimits.contains(maxBody.octets), "at most 256MiB")
    try require(
      "--max-header-size", "\(maxHeaderSize)", Self.headerLimits.contains(maxHeaderSize.octets), "between 1KiB and 1MiB")
    for (name, time) in [
      ("--connect-timeout", connectTimeout), ("--idle-timeout", idleTimeout), ("--header-timeout", headerTimeout),
    ] {
      try require(name, "\(time)", time.nanoseconds > 0, "above 0")
    }
  }

  private func require(_ option: String, _ value: String, _ holds: Bool, _ rule: String) throws {
    guard holds else { throw ValidationError("\(option) \(value): out of range; give a value \(rule)") }
  }
}
