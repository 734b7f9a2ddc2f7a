internal import TapelineClients
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineText

/// Why a command has left nothing in the log, as far as could be seen, and what to do; one line for each cause.
enum SilenceText {
  /// More causes would not help.
  private static let limit = 3

  /// - Parameter network: what the command's network has counted, if it has one.
  static func lines(_ bypasses: [Bypass], _ shortage: Shortage, in network: NetworkCounters? = nil) -> [String] {
    if shortage.filtered > 0 {
      let count = Count.text(shortage.filtered, "exchange")
      return ["nothing was recorded: --filter has left out \(count); check the filter"]
    }
    if let network {
      let count = network.begunConnections
      return [
        "nothing was recorded: "
          + (count == 0 ? "the command began no connection" : "the command connected only to servers of its own")
      ]
    }
    guard !bypasses.isEmpty else {
      return [
        "nothing was recorded: nothing came to the proxy, and the command was not seen to connect to anything by itself; "
          + "check whether it uses HTTP"
      ]
    }
    let lines = bypasses.prefix(limit).map { "nothing was recorded: \(cause($0)); \(remedy($0.reason))" }
    let more = bypasses.count - lines.count
    return more > 0 ? lines + ["nothing was recorded: \(more) more like these"] : lines
  }

  private static func cause(_ bypass: Bypass) -> String {
    let who = "\(bypass.program) (\(bypass.id))"
    let act = bypass.destination.map { "\(who) connected to \($0) by itself" } ?? who
    return switch bypass.reason {
    case nil: act
    case .noProxyNamed: "\(act): its environment does not name the proxy"
    case .excepted(let variable, let value): "\(act): its environment has \(variable)=\(value.elided(to: longestValue))"
    case .nodeWithoutScript: "\(act): its NODE_OPTIONS lack tapeline's script"
    case .go: "\(act): it is written in Go, which uses no proxy for this machine"
    }
  }

  private static let longestValue = 60

  private static func remedy(_ reason: Bypass.Reason?) -> String {
    switch reason {
    case nil: "if it speaks HTTP there, make it use the proxy that HTTP_PROXY names"
    case .noProxyNamed: "keep HTTP_PROXY and HTTPS_PROXY in its environment (sudo -E, no env -i)"
    case .excepted(let variable, _): "leave \(variable) as tapeline sets it"
    case .nodeWithoutScript: "add to NODE_OPTIONS instead of replacing it"
    case .go: "use this machine's name, as hostname prints it, instead of localhost or 127.0.0.1"
    }
  }
}
