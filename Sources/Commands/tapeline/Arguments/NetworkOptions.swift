internal import ArgumentParser
internal import TapelineInspect
internal import TapelineLive
internal import TapelineProxy

/// The network of the command of `run`.
struct NetworkOptions: ParsableArguments {
  @Flag(
    name: .customLong("all"),
    help: "Give the command a network of its own, so that programs that ignore proxies are recorded too (Linux).")
  var isOwn = false

  @Flag(
    name: .customLong("no-host-loopback"),
    help: "With --all: do not let the command reach servers on this machine's loopback addresses.")
  var closesHostLoopback = false

  @Option(
    name: .customLong("network"),
    help: ArgumentHelp(
      "Give the command this network, as with --all: slow-4g, fast-4g, 3g, rtt=150ms,down=1.6Mbit,up=750kbit and perhaps jitter=, loss=, queue=; or trace:FILE.",
      valueName: "network"))
  var link: String?

  @Option(
    help: ArgumentHelp(
      "With --all: ask this name server instead of those that the command asks.", valueName: "address:port"))
  var nameServer: Endpoint?

  func validate() throws {
    if let link { _ = try parsing(link, as: "--network") { (text) throws(QueryError) in try LinkProfile(text) } }
    if !hasOwn, closesHostLoopback {
      throw ValidationError("--no-host-loopback: only a command with --all has another loopback; add --all")
    }
    if !hasOwn, nameServer != nil {
      throw ValidationError("--name-server: only with --all do we see the command's questions; add --all")
    }
  }

  /// Whether the command has a network of its own.
  var hasOwn: Bool { isOwn || link != nil }

  func configuration(seed: UInt64) -> NetworkConfiguration? {
    hasOwn ? NetworkConfiguration(nameServer: nameServer, link: link.flatMap { try? LinkProfile($0) }, seed: seed) : nil
  }

  /// The loopback addresses.
  static let loopback: [DestinationPattern] = ["127.0.0.0/8", "::1/128"].compactMap { DestinationPattern($0) }
}
