internal import TapelineInspect

/// A recording that answers, and the status that it has reported.
struct RunningRecording {
  let client: ControlClient
  let status: RecordingStatus

  /// How a recording is named on a command line.
  enum Designation: Hashable {
    /// The path of its socket.
    case socket(String)
    /// The value of its `--name`, or its process id.
    case name(String)
  }

  init(at path: String) throws(CommandFailure) {
    client = ControlClient(path: path)
    status = try client.status()
  }

  /// `process 4711 (web), 127.0.0.1:8888, /home/me/day.har`.
  var text: String {
    let name = status.name.map { " (\($0))" } ?? ""
    return "process \(status.processID)\(name), \(status.endpoints.joined(separator: " and ")), \(status.log.file)"
  }

  /// The name for `--name` of a recording that was started without a name.
  static func standardName(processID: Int) -> String { "\(processID)" }

  private var names: Set<String> {
    Set([status.name, Self.standardName(processID: status.processID)].compactMap(\.self))
  }
}

// MARK: Finding the one that is meant

extension RunningRecording {
  /// All recordings of this user that answer.
  static func all(environment: [String: String]) -> [RunningRecording] {
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
  static func find(_ designation: Designation?, from shell: CallingShell) throws(CommandFailure) -> RunningRecording {
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
    let count = "\(Count.text(meant.count, "recording", "recordings")) of yours"
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
  static func choices(_ recordings: [RunningRecording]) -> [String] {
    recordings.map { recording in
      let given = recording.status.name
      let isUnique = given != nil && recordings.count { $0.status.name == given } == 1
      let name = isUnique ? given ?? "" : standardName(processID: recording.status.processID)
      let place = recording.status.directory.map { ", started in \($0)" } ?? ""
      return "  --name \(name.shellQuoted): \(recording.text)\(place)"
    }
  }
}
