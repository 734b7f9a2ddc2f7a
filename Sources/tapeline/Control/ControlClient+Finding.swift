extension ControlClient {
  /// The recording that is meant: the named one, else that of `TAPELINE_CONTROL`, else the only one of this user.
  static func find(named path: String?, environment: [String: String]) throws(CommandFailure) -> ControlClient {
    if let path { return ControlClient(path: path) }
    if let path = environment[CaptureEnvironment.controlName], !path.isEmpty { return ControlClient(path: path) }
    return try only(of: running(environment: environment))
  }

  /// The one recording, where there is no doubt.
  static func only(of running: [ControlClient]) throws(CommandFailure) -> ControlClient {
    guard let only = running.first else {
      throw CommandFailure(
        status: .unavailable, what: "no recording of yours runs", why: "there is no control socket",
        remedy: "start one with tapeline record or tapeline run")
    }
    guard running.count == 1 else {
      throw CommandFailure(
        status: .usage, what: "\(running.count) recordings run", why: running.map(\.label).joined(separator: ", "),
        remedy: "say which with --control PATH")
    }
    return only
  }

  /// All recordings of this user that answer.
  static func running(environment: [String: String]) -> [ControlClient] {
    ControlDirectory.candidates(environment: environment).flatMap { $0.sockets() }.map(ControlClient.init)
  }

  /// The path, and what is recorded there.
  private var label: String {
    do throws(CommandFailure) {
      return "\(path) (\(try status().title))"
    } catch {
      return path
    }
  }
}
