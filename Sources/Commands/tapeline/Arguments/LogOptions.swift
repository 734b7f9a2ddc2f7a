internal import ArgumentParser
internal import TapelineInspect
internal import TapelineProxy
internal import TapelineTime

/// The options that say what is recorded, where, and how safely.
struct LogOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The HAR to write; must not exist, unless --force is given. (default: tapeline-<UTC time>.har)", valueName: "file"))
  var output: String?

  @Flag(help: "Overwrite an existing --output; files of earlier rotations stay.")
  var force = false

  @Option(
    help: ArgumentHelp(
      "Record only exchanges that match, as in 'status >= 400 or wait > 1s'; all are relayed.", valueName: "query"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Whose clock says when bytes came: the kernel's, or tapeline's own as it reads them, which costs less.",
      valueName: "wire|loop"))
  var clock = MonotonicInstant.Clock.wire

  @Option(help: "Which bodies to keep; all are relayed.")
  var bodies = ProxyConfiguration.BodyPolicy.all

  @Option(
    help: ArgumentHelp("Keep this much of each body; longer ones are relayed whole and recorded truncated.", valueName: "size"))
  var maxBody = SizeArgument(bytes: 1 << 20)

  @Flag(help: "Also record requests for tapeline's own pages: /metrics, /healthz, /proxy.pac, …")
  var recordOwn = false

  @Option(help: ArgumentHelp("Keep bodies as files in this directory, named by their content.", valueName: "dir"))
  var bodiesDir: String?

  @OptionGroup
  var secrets: SecretOptions

  @Option(help: ArgumentHelp("Begin the next file before one grows beyond this.", valueName: "size"))
  var rotateSize = SizeArgument(bytes: 500_000_000)

  @Option(help: ArgumentHelp("Begin the next file after this time.", valueName: "time"))
  var rotateEvery: DurationArgument?

  @Option(help: ArgumentHelp("Keep this many files of the recording, and remove the oldest. (default: all)", valueName: "n"))
  var rotateKeep: Int?

  @Option(
    help: ArgumentHelp(
      "When to sync the file to the disk: never, after each write, or at most this long after it.",
      valueName: "never|write|time"))
  var fsync = SyncArgument.never

  @Option(
    help: ArgumentHelp(
      "Let this much wait for the disk. (default: 1GiB, or an eighth of the memory if that is less)", valueName: "size"))
  var queue: SizeArgument?

  @Option(
    help: ArgumentHelp(
      "What to do when that is full: drop bodies, then exchanges, or have exchanges wait until there is room.",
      valueName: "drop|wait"))
  var overload = OverloadArgument.drop

  @Option(
    help: ArgumentHelp(
      "With --overload wait, go on without recording once the disk has refused writes for this time. (default: 30s)",
      valueName: "time"))
  var overloadPatience: DurationArgument?

  @Option(help: ArgumentHelp("Append the debug description of each exchange as it ends; - for stdout.", valueName: "file"))
  var debugLog: String?

  @Flag(help: "Put the debug description of each exchange into its entry as well (_debug).")
  var debugEntries = false

  /// The limits in bytes for one body in memory, for each exchange in flight.
  private static let bodyLimits = 0...(256 << 20)
  /// Less would not hold a moment's exchanges.
  private static let queueSizes = (1 << 20)...(1 << 40)
  /// Less would hold few entries; readers written in JavaScript stop at 512 MB.
  private static let rotationSizes = (64 << 10)...(16 << 30)

  func validate() throws {
    if output == "-" {
      throw ValidationError("--output -: the file is rewritten in place, which is impossible with a stream; name a file")
    }
    if force, output == nil { throw ValidationError("--force: it goes with --output; give both") }
    if bodiesDir != nil, filter != nil {
      throw ValidationError("--bodies-dir and --filter: a body is written before its exchange can be filtered; give one")
    }
    if bodiesDir != nil, bodies == .none {
      throw ValidationError("--bodies-dir and --bodies none: no body would be kept there; give one")
    }
    if let filter { _ = try parsing(filter, as: "--filter") { (text) throws(QueryError) in try Query(text) } }
    try require("--max-body", maxBody, Self.bodyLimits.contains(maxBody.bytes), "at most 256MiB")
    try require("--rotate-size", rotateSize, Self.rotationSizes.contains(rotateSize.bytes), "between 64KiB and 16GiB")
    if let queue { try require("--queue", queue, Self.queueSizes.contains(queue.bytes), "between 1MiB and 1TiB") }
    if overloadPatience != nil, overload != .wait {
      throw ValidationError("--overload-patience: it goes with --overload wait; give both")
    }
    if let rotateKeep { try require("--rotate-keep", rotateKeep, rotateKeep > 0, "above 0") }
    if let rotateEvery {
      try require("--rotate-every", rotateEvery, rotateEvery.duration >= .seconds(1), "of at least 1s")
    }
  }
}
