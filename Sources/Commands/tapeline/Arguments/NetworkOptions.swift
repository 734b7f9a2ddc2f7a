internal import ArgumentParser
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
    help: ArgumentHelp(
      "With --all: ask this name server instead of those that the command asks.", valueName: "address:port"))
  var nameServer: Endpoint?

  /// - Parameter isOwn: whether the command has a network of its own.
  func check(isOwn: Bool) throws {
    if !isOwn, closesHostLoopback {
      throw ValidationError("--no-host-loopback: only a command with --all has another loopback; add --all")
    }
    if !isOwn, nameServer != nil {
      throw ValidationError("--name-server: only with --all do we see the command's questions; add --all")
    }
  }

  /// The loopback addresses.
  static let loopback: [DestinationPattern] = ["127.0.0.0/8", "::1/128"].compactMap { DestinationPattern($0) }
}
