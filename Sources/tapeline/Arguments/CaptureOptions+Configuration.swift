internal import Glibc
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder

extension CaptureOptions {
  /// What the proxy is told. The endpoints were checked when the options were.
  func proxyConfiguration(defaultListen: EndpointArgument) -> ProxyConfiguration {
    let endpoints = listen.isEmpty ? [defaultListen] : listen
    var configuration = ProxyConfiguration(listen: endpoints.map(\.address))
    configuration.threads = threads ?? Self.standardThreads
    configuration.connectTimeout = connectTimeout.nanoseconds
    configuration.idleTimeout = idleTimeout.nanoseconds
    configuration.headerTimeout = headerTimeout.nanoseconds
    configuration.limits.headerBlock = maxHeaderSize.octets
    configuration.bodies = bodies.policy
    configuration.maxBody = maxBody.octets
    configuration.maxConnections = maxConnections ?? DescriptorLimit.connections
    return configuration
  }

  /// What the recorder is told; its troubles are said at once, by its own thread.
  func recorderConfiguration(output: String, title: String) -> RecorderConfiguration {
    var configuration = RecorderConfiguration(path: output, title: title, creatorVersion: programVersion)
    configuration.redacts = redact
    configuration.debugLog = debugLog.map { $0 == "-" ? .standardOutput : .file($0) }
    configuration.includesDebug = debugEntries
    configuration.onError = { error in Console.say(error.description) }
    return configuration
  }

  /// More loops than this found nothing to do in any measurement.
  private static let mostThreads = 4

  private static var standardThreads: Int {
    min(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))), mostThreads)
  }

  /// The settings in force, for `--verbose`.
  func settingsText(of configuration: ProxyConfiguration) -> String {
    [
      "threads \(configuration.threads)", "bodies \(bodies.rawValue) up to \(maxBody)",
      redact ? "secrets redacted" : "secrets kept",
      "connect time-out \(connectTimeout)", "idle \(idleTimeout)", "header \(headerTimeout)", "header size \(maxHeaderSize)",
      "connections \(configuration.maxConnections)",
    ].joined(separator: ", ")
  }
}

extension CaptureOptions.BodyChoice {
  fileprivate var policy: ProxyConfiguration.BodyPolicy {
    switch self {
    case .none: .none
    case .text: .text
    case .all: .all
    }
  }
}
