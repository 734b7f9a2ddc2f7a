internal import CTapeline

/// The service manager that may have started this process: sd_listen_fds(3) and sd_notify(3), without its library.
package enum ServiceManager {
  /// The messages that it takes.
  package enum State: String {
    case ready = "READY=1"
    case stopping = "STOPPING=1"
  }

  /// Tells it; does nothing without one that listens.
  package static func tell(_ state: State) {
    guard let path = ProcessEnvironment.value(of: "NOTIFY_SOCKET"), path.hasPrefix("/") || path.hasPrefix("@") else { return }
    // It does not matter whether the manager still listens.
    _ = unsafe tapeline_notify(path, state.rawValue)
  }

  /// The sockets that it has handed over to this very process, which listen already. The caller that takes them owns them.
  package static var handedOverSockets: [Int32] {
    guard ProcessEnvironment.value(of: "LISTEN_PID").flatMap({ Int32($0) }) == CurrentProcess.id,
      let count = ProcessEnvironment.value(of: "LISTEN_FDS").flatMap({ Int32($0) }), (1...mostSockets).contains(count)
    else { return [] }
    return Array(firstSocket..<firstSocket + count)
  }

  /// The variables that are for this very process: not its children, which would take our place.
  static let variables = [
    "LISTEN_FDS", "LISTEN_PID", "LISTEN_PIDFDID", "LISTEN_FDNAMES", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC",
  ]

  private static let firstSocket: Int32 = 3
  private static let mostSockets: Int32 = 64
}
