internal import TapelineInspect
internal import TapelineLoop
internal import TapelineBase

/// Why a command has left nothing in the log, as far as could be seen, and what to do; one line for each cause.
enum SilenceText {
  /// More causes would not help.
  private static let limit = 3

  /// - Parameter network: what the command's network has counted, if it has one.
  static func lines(_ report: BypassReport, _ shortage: Shortage, in network: NetworkCounters? = nil) -> [String] {
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
    let bypasses = report.connections.isEmpty ? report.suspects : report.connections
    guard !bypasses.isEmpty else {
      let rest = report.isComplete ? "the command connected to nothing" : "the command was not seen to connect to anything"
      return ["nothing was recorded: nothing came to the proxy, and \(rest) by itself; check whether it uses HTTP"]
    }
    let lines = bypasses.prefix(limit).map { "nothing was recorded: \(cause($0)); \(remedy($0.reason))" }
    let more = bypasses.count - lines.count
    return more > 0 ? lines + ["nothing was recorded: \(more) more like these"] : lines
  }

  private static func cause(_ bypass: Bypass) -> String {
    let who = "\(bypass.program.printable) (\(bypass.id))"
    let verb = bypass.connections > 0 ? "connected" : "tried to connect"
    let times = bypass.connections > 1 ? " (\(bypass.connections) times)" : ""
    let act = bypass.destination.map { "\(who) \(verb) to \($0) by itself\(times)" } ?? who
    return bypass.reason.map { "\(act): \(cause($0))" } ?? act
  }

  static func cause(_ reason: Bypass.Reason) -> String {
    switch reason {
    case .noProxyNamed: "its environment does not name the proxy"
    case .excepted(let variable, let value): "its environment has \(variable)=\(value.elided(to: longestValue))"
    case .nodeWithoutScript: "its NODE_OPTIONS lack tapeline's script"
    case .language(let language): "it is written in \(language.rawValue), which uses no proxy for this machine"
    }
  }

  private static let longestValue = 60

  private static func remedy(_ reason: Bypass.Reason?) -> String {
    switch reason {
    case nil: "the cause is unknown; if it speaks HTTP there, make it use the proxy that HTTP_PROXY names"
    case .noProxyNamed: "keep HTTP_PROXY and HTTPS_PROXY in its environment (sudo -E, no env -i)"
    case .excepted(let variable, _): "leave \(variable) as tapeline sets it"
    case .nodeWithoutScript: "add to NODE_OPTIONS instead of replacing it"
    case .language: "use this machine's name, as hostname prints it, instead of localhost or 127.0.0.1, or run --all"
    }
  }
}
