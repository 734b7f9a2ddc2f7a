/// A proxy that was found by its address or by its control socket.
struct RunningProxy {
  let endpoint: EndpointArgument
  /// Absent where no recording of ours says that it listens there: the proxy of another user, or one without a socket.
  let recording: RunningRecording?

  /// - Parameters:
  ///   - endpoint: the address where the proxy is said to listen.
  ///   - designation: the recording that it is said to be. Without `endpoint` and `designation`, finds the recording that the
  ///     shell means, or, if no recording of ours runs, the proxy at the default address.
  static func find(
    endpoint: EndpointArgument?, _ designation: RunningRecording.Designation?, from shell: CallingShell
  ) throws(CommandFailure) -> RunningProxy {
    if let endpoint { return listening(at: endpoint, among: RunningRecording.all(environment: shell.environment)) }
    if let designation { return try RunningProxy(try .find(designation, from: shell)) }
    if let path = shell.controlPath {
      do throws(CommandFailure) {
        return try RunningProxy(try RunningRecording(at: path))
      } catch {
        // A variable that an ended recording left in this shell is not a reason to fail: it is about to be replaced.
      }
    }
    var environment = shell.environment
    environment[CaptureEnvironment.controlName] = nil
    if RunningRecording.all(environment: environment).isEmpty { return RunningProxy(endpoint: RecordCommand.defaultListen) }
    return try RunningProxy(try .find(nil, from: CallingShell(environment: environment, directory: shell.directory)))
  }

  private init(endpoint: EndpointArgument) {
    self.endpoint = endpoint
    recording = nil
  }

  private init(_ recording: RunningRecording) throws(CommandFailure) {
    guard let endpoint = recording.status.endpoints.lazy.compactMap(EndpointArgument.init(argument:)).first else {
      throw CommandFailure(
        status: .unavailable, what: recording.client.path, why: "it does not say where it listens", remedy: "name HOST:PORT")
    }
    self.endpoint = endpoint
    self.recording = recording
  }

  private static func listening(at endpoint: EndpointArgument, among running: [RunningRecording]) -> RunningProxy {
    for recording in running {
      let places = recording.status.endpoints.compactMap(EndpointArgument.init(argument:))
      guard places.contains(where: { $0 == endpoint || $0.reachable == endpoint.reachable }) else { continue }
      return RunningProxy(endpoint: endpoint, recording: recording)
    }
    return RunningProxy(endpoint: endpoint)
  }

  private init(endpoint: EndpointArgument, recording: RunningRecording) {
    self.endpoint = endpoint
    self.recording = recording
  }

  var controlPath: String? { recording?.client.path }
  var status: RecordingStatus? { recording?.status }

  /// A description of the proxy, for people.
  var text: String {
    recording?.text ?? "\(endpoint), which is not known to be a recording of yours"
  }
}
