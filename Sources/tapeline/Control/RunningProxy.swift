/// A proxy that was found: by where it listens, or by its control socket.
struct RunningProxy {
  let endpoint: EndpointArgument
  /// Absent where no recording of ours says that it listens there: the proxy of another user, or one without a socket.
  let controlPath: String?
  let status: RecordingStatus?

  /// - Parameters:
  ///   - endpoint: where the proxy is said to listen.
  ///   - controlPath: its control socket. Without either, the only recording that runs, or else whoever listens at the usual place.
  static func find(
    endpoint: EndpointArgument?, controlPath: String?, environment: [String: String]
  ) throws(CommandFailure) -> RunningProxy {
    if let controlPath { return try RunningProxy(client: ControlClient(path: controlPath)) }
    let running = ControlClient.running(environment: environment)
    if let endpoint { return listening(at: endpoint, among: running) }
    // What an ended recording left in this shell is no reason to fail: it is what shall be replaced.
    if let named = running.first(where: { $0.path == environment[CaptureEnvironment.controlName] }) {
      return try RunningProxy(client: named)
    }
    if running.isEmpty { return RunningProxy(endpoint: RecordCommand.defaultListen) }
    return try RunningProxy(client: try ControlClient.only(of: running))
  }

  private init(endpoint: EndpointArgument) {
    self.endpoint = endpoint
    controlPath = nil
    status = nil
  }

  private init(client: ControlClient) throws(CommandFailure) {
    let status = try client.status()
    guard let endpoint = status.endpoints.lazy.compactMap(EndpointArgument.init(argument:)).first else {
      throw CommandFailure(
        status: .unavailable, what: client.path, why: "it does not say where it listens", remedy: "name HOST:PORT")
    }
    self.endpoint = endpoint
    self.status = status
    controlPath = client.path
  }

  private static func listening(at endpoint: EndpointArgument, among running: [ControlClient]) -> RunningProxy {
    for client in running {
      do throws(CommandFailure) {
        let status = try client.status()
        let places = status.endpoints.compactMap(EndpointArgument.init(argument:))
        guard places.contains(where: { $0 == endpoint || $0.reachable == endpoint.reachable }) else { continue }
        return RunningProxy(endpoint: endpoint, controlPath: client.path, status: status)
      } catch {
        // It has ended meanwhile.
      }
    }
    return RunningProxy(endpoint: endpoint)
  }

  private init(endpoint: EndpointArgument, controlPath: String, status: RecordingStatus) {
    self.endpoint = endpoint
    self.controlPath = controlPath
    self.status = status
  }
}
