internal import TapelineSystem
internal import TapelineTransport

/// The facts about a shell that identify the recording its commands mean. Nothing else tells which recording belongs to whom.
struct CallingShell {
  let environment: [String: String]
  /// The shell's directory, absolute and without links; `nil` if unknown.
  let directory: String?

  static func current() -> CallingShell {
    CallingShell(environment: ProcessEnvironment.variables(), directory: AbsolutePath.workingDirectory)
  }

  /// The value of `TAPELINE_CONTROL`.
  var controlPath: String? {
    environment[CaptureEnvironment.controlName].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether the recording was started in this directory, or listens where a proxy variable points.
  func means(_ status: RecordingStatus) -> Bool {
    if let directory, status.directory == directory { return true }
    let listeners = status.endpoints.compactMap(EndpointArgument.init(argument:))
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
