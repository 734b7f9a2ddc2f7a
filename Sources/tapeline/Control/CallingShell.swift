internal import TapelineSystem
internal import TapelineTransport

/// What a shell says of the recording that its commands mean: they are told by nothing else which one is whose.
struct CallingShell {
  let environment: [String: String]
  /// Where it is, absolute and without links; `nil` where that is not known.
  let directory: String?

  static func current() -> CallingShell {
    CallingShell(environment: ProcessEnvironment.variables(), directory: AbsolutePath.workingDirectory)
  }

  /// What `TAPELINE_CONTROL` says.
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
