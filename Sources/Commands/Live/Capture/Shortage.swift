internal import TapelineOffline
internal import TapelineInspect
internal import TapelineBase

/// The least that `run` must have recorded to be a success.
package struct RunRequirement: Sendable {
  /// At least so many exchanges.
  let exchanges: Int
  /// Whether no connection of the command may have gone past the proxy.
  let isEverything: Bool

  package init(exchanges: Int, isEverything: Bool = false) {
    self.exchanges = exchanges
    self.isEverything = isEverything
  }
}

/// Fewer exchanges than required: a recording that missed its purpose must not look like a success.
struct Shortage {
  let recorded: Int
  /// The number of exchanges that --filter left out.
  let filtered: Int
  let required: Int

  /// `nil` if there are enough exchanges.
  var failure: CommandFailure? {
    guard recorded < required else { return nil }
    let left = filtered > 0 ? " (\(filtered) left out by --filter)" : ""
    return CommandFailure(
      status: .conditionFailed, what: "run",
      why:
        "\(Count.text(recorded, "exchange was", "exchanges were")) recorded\(left), and \(required) \(required == 1 ? "is" : "are") required",
      remedy: recorded == 0 ? "--require 0 permits that" : "see --require")
  }
}
