internal import ArgumentParser
internal import TapelineInspect

/// How the requests of a capture are sent again.
struct ReplaySendingOptions: ParsableArguments {
  @Flag(help: "Send the capture's requests again and record the results; needs -o.")
  var send = false

  @Option(help: ArgumentHelp("Send this many requests at a time, with --timing none.", valueName: "n"))
  var parallel = 1

  @Option(help: ArgumentHelp("Send only requests that match; --filter selects what is recorded.", valueName: "query"))
  var only: String?

  private static let parallelLimits = 1...256

  func validate() throws {
    try require("--parallel", parallel, Self.parallelLimits.contains(parallel), "between 1 and 256")
    _ = try query()
  }

  /// `nil` for all requests.
  func query() throws -> Query? {
    guard let only else { return nil }
    return try parsing(only, as: "--only") { (text) throws(QueryError) in try Query(text) }
  }
}
