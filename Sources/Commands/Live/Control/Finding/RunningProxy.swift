package import TapelineOffline
internal import TapelineLoop
internal import TapelineSystem

/// A proxy that was found by its address or by its control socket.
package struct RunningProxy {
  package let endpoint: Endpoint
  /// Absent where no recording of ours says that it listens there: the proxy of another user, or one without a socket.
  package let recording: RunningRecording?

  /// - Parameters:
  ///   - endpoint: the address where the proxy is said to listen.
  ///   - designation: the recording that it is said to be. Without `endpoint` and `designation`, finds the recording that the
  ///     shell means, or, if no recording of ours runs, the proxy at the default address.
  package static func find(
    endpoint: Endpoint?, _ designation: RunningRecording.Designation?, from shell: CallingShell
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
    environment[CallingShell.controlName] = nil
    if RunningRecording.all(environment: environment).isEmpty { return RunningProxy(endpoint: .standard) }
    return try RunningProxy(try .find(nil, from: CallingShell(environment: environment, directory: shell.directory)))
  }

  private init(endpoint: Endpoint) {
    self.endpoint = endpoint
    recording = nil
  }

  private init(_ recording: RunningRecording) throws(CommandFailure) {
    guard let endpoint = recording.status.endpoints.lazy.compactMap({ Endpoint($0) }).first else {
      throw CommandFailure(
        status: .unavailable, what: recording.client.path, why: "it does not say where it listens", remedy: "name HOST:PORT")
    }
    self.endpoint = endpoint
    self.recording = recording
  }

  private static func listening(at endpoint: Endpoint, among running: [RunningRecording]) -> RunningProxy {
    for recording in running {
      let places = recording.status.endpoints.compactMap { Endpoint($0) }
      guard places.contains(where: { $0 == endpoint || $0.reachable == endpoint.reachable }) else { continue }
      return RunningProxy(endpoint: endpoint, recording: recording)
    }
    return RunningProxy(endpoint: endpoint)
  }

  private init(endpoint: Endpoint, recording: RunningRecording) {
    self.endpoint = endpoint
    self.recording = recording
  }

  package var controlPath: String? { recording?.client.path }
  package var status: RecordingStatus? { recording?.status }

  /// A description of the proxy, for people.
  package var text: String {
    recording?.text ?? "\(endpoint), which is not known to be a recording of yours"
  }
}

/// Whether anything listens at an address. A connection is made and closed at once, so a proxy there records nothing.
package enum Reachability {
  private static let timeoutMilliseconds: Int32 = 2_000

  package static func check(_ endpoint: Endpoint) throws(CommandFailure) {
    do throws(SystemCallError) {
      try connectOnce(to: endpoint.address)
    } catch {
      throw CommandFailure(
        status: .unavailable, what: "no proxy at \(endpoint)", why: error.text,
        remedy: "start tapeline record, or say where it listens: tapeline env HOST:PORT")
    }
  }

  private static func connectOnce(to address: SocketAddress) throws(SystemCallError) {
    let socket = try SystemCalls.makeSocket(isIPv6: address.family == .ipv6)
    // Nothing was sent, so nothing can be lost in a failing close.
    defer { SystemCalls.discard(socket) }
    guard try SystemCalls.connect(socket, to: address) == .wouldBlock else { return }
    guard try SystemCalls.wait(for: .writable, on: socket, milliseconds: timeoutMilliseconds) else {
      throw SystemCallError(code: ErrorCode.timedOut, call: .connect)
    }
    try SystemCalls.checkConnected(socket)
  }
}
