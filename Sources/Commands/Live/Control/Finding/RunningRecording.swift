package import TapelineOffline
internal import TapelineInspect
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTransport

/// A recording that answers, and the status that it has reported.
package struct RunningRecording {
  package let client: ControlClient
  package let status: RecordingStatus

  /// How a recording is named on a command line.
  package enum Designation: Hashable {
    /// The path of its socket.
    case socket(String)
    /// The value of its `--name`, or its process id.
    case name(String)
  }

  package init(at path: String) throws(CommandFailure) {
    client = ControlClient(path: path)
    status = try client.status()
  }

  /// `process 4711 (web), 127.0.0.1:8888, /home/me/day.har`.
  package var text: String {
    let name = status.name.map { " (\($0))" } ?? ""
    return "process \(status.processID)\(name), \(status.endpoints.joined(separator: " and ")), \(status.log.file)"
  }

  /// The name for `--name` of a recording that was started without a name.
  package static func standardName(processID: Int) -> String { "\(processID)" }

  private var names: Set<String> {
    Set([status.name, Self.standardName(processID: status.processID)].compactMap(\.self))
  }
}

// MARK: Finding the one that is meant

extension RunningRecording {
  /// All recordings of this user that answer.
  package static func all(environment: [String: String]) -> [RunningRecording] {
    let paths = ControlDirectory.candidates(environment: environment).flatMap { $0.sockets() }
    return paths.compactMap { path in
      do throws(CommandFailure) {
        return try RunningRecording(at: path)
      } catch {
        // The recording has ended meanwhile, or hangs.
        return nil
      }
    }
  }

  /// The recording that the command means: the one that the command line names, else that of `TAPELINE_CONTROL`, else the only
  /// one that this shell's directory or proxy variables name. Never a recording that nothing names: it may be anybody's.
  package static func find(_ designation: Designation?, from shell: CallingShell) throws(CommandFailure) -> RunningRecording {
    switch designation ?? shell.controlPath.map(Designation.socket) {
    case .socket(let path)?:
      return try RunningRecording(at: path)
    case .name(let name)?:
      let running = all(environment: shell.environment)
      return try only(among: running.filter { $0.names.contains(name) }, of: running, called: name)
    case nil:
      let running = all(environment: shell.environment)
      return try only(among: running.filter { shell.means($0.status) }, of: running, called: nil)
    }
  }

  private static func only(
    among meant: [RunningRecording], of running: [RunningRecording], called name: String?
  ) throws(CommandFailure) -> RunningRecording {
    if let only = meant.first, meant.count == 1 { return only }
    if meant.isEmpty, let name {
      throw failure(.unavailable, "no recording of yours is called \(name)", "each of those that run has another name", running)
    }
    let count = "\(Count.text(meant.count, "recording")) of yours"
    if !meant.isEmpty, let name {
      throw failure(.usage, "\(count) are called \(name)", "each may be the one that you mean", meant)
    }
    if !meant.isEmpty {
      throw failure(.usage, "\(count) may be meant", "they were started in this directory, or are this shell's proxies", meant)
    }
    throw failure(
      .usage, "it is not clear which recording you mean", "none was started in this directory, and none is this shell's proxy",
      running)
  }

  /// A failure with the recordings to choose from, if there are any.
  private static func failure(
    _ status: ExitStatus, _ what: String, _ why: String, _ choice: [RunningRecording]
  ) -> CommandFailure {
    guard !choice.isEmpty else {
      return CommandFailure(
        status: .unavailable, what: "no recording of yours runs", why: "there is no control socket",
        remedy: "start one with tapeline record or tapeline run")
    }
    return CommandFailure(
      status: status, what: what, why: why, remedy: "select one with --name or --control", choices: choices(choice))
  }

  /// A line for each recording, which begins with a name that only this recording has.
  package static func choices(_ recordings: [RunningRecording]) -> [String] {
    recordings.map { recording in
      let given = recording.status.name
      let isUnique = given != nil && recordings.count { $0.status.name == given } == 1
      let name = isUnique ? given ?? "" : standardName(processID: recording.status.processID)
      let place = recording.status.directory.map { ", started in \($0)" } ?? ""
      return "  --name \(name.shellQuoted): \(recording.text)\(place)"
    }
  }
}

/// The facts about a shell that identify the recording its commands mean. Nothing else tells which recording belongs to whom.
package struct CallingShell {
  package let environment: [String: String]
  /// The shell's directory, absolute and without links; `nil` if unknown.
  package let directory: String?

  package static func current() -> CallingShell {
    CallingShell(environment: ProcessEnvironment.variables(), directory: AbsolutePath.workingDirectory)
  }

  /// The variable that names the control socket of the recording whose traffic a program makes.
  package static let controlName = "TAPELINE_CONTROL"

  /// The value of `TAPELINE_CONTROL`.
  package var controlPath: String? {
    environment[Self.controlName].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the recording was started in this directory, or listens where a proxy variable points.
  func means(_ status: RecordingStatus) -> Bool {
    if let directory, status.directory == directory { return true }
    let listeners = status.endpoints.compactMap { Endpoint($0) }
    return proxies.contains { proxy in listeners.contains { proxy.isReached(at: $0.address) } }
  }

  private static let proxyVariables = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  private var proxies: [UpstreamProxy] {
    Self.proxyVariables.compactMap { environment[$0] }.compactMap { text in
      do throws(UpstreamProxyError) {
        return try UpstreamProxy(parsing: text)
      } catch {
        // No proxy of ours has such an address.
        return nil
      }
    }
  }
}
