internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem

extension CaptureOptions {
  /// What the proxy is told, but for HTTPS. The endpoints were checked when the options were.
  func proxyConfiguration(defaultListen: EndpointArgument) -> ProxyConfiguration {
    let endpoints = listening.listen.isEmpty ? [defaultListen] : listening.listen
    var configuration = ProxyConfiguration(listen: endpoints.map(\.address))
    configuration.threads = limits.threads ?? Self.standardThreads
    configuration.connectTimeout = limits.connectTimeout?.nanoseconds
    configuration.idleTimeout = limits.idleTimeout?.nanoseconds
    configuration.headerTimeout = limits.headerTimeout?.nanoseconds
    configuration.responseTimeout = limits.responseTimeout?.nanoseconds
    configuration.sharesConnections = faithfulness.sharesConnections
    configuration.namesItself = faithfulness.namesItself
    configuration.limits.headerBlock = limits.maxHeaderSize.bytes
    configuration.bodies = log.bodies.policy
    configuration.maxBody = log.maxBody.bytes
    configuration.maxConnections = limits.maxConnections ?? Self.standardConnections
    return configuration
  }

  /// What the recorder is told; its troubles are said at once, by its own thread.
  func recorderConfiguration(output: String, title: String) throws(CommandFailure) -> RecorderConfiguration {
    var configuration = RecorderConfiguration(path: output, title: title, creatorVersion: programVersion)
    configuration.redaction = log.keepsSecrets ? nil : try RedactionFiles.rules(log.redactionFiles)
    configuration.replacesFile = log.force
    configuration.bodiesDirectory = log.bodiesDir
    configuration.fileSizeLimit = log.rotateSize.bytes
    configuration.rotationInterval = log.rotateEvery?.nanoseconds
    configuration.sync = log.fsync.policy
    configuration.decodedBodyLimit = max(Self.leastDecodedBody, log.maxBody.bytes * Self.decodingFactor)
    configuration.debugLog = log.debugLog.map { $0 == "-" ? .standardOutput : .file($0) }
    configuration.includesDebug = log.debugEntries
    configuration.keeps = try log.filter.map { (text) throws(CommandFailure) in try RecordingFilter.predicate(text) }
    configuration.onError = { error in Console.say(error.description) }
    return configuration
  }

  /// More loops than this found nothing to do in any measurement.
  private static let mostThreads = 4

  private static var standardThreads: Int {
    min(CurrentProcess.processorCount, mostThreads)
  }

  /// How many clients can be served under the limit of open files that a recording takes: each may need a descriptor of its own, one for its
  /// origin, and one for an origin's connection that idles.
  private static var standardConnections: Int {
    OpenFileLimit.highest.map { max(leastConnections, ($0 - ownDescriptors) / 3) } ?? leastConnections
  }

  private static let leastConnections = 8
  /// Standard streams, the log, and what loops and listeners need.
  private static let ownDescriptors = 32

  /// Text that was compressed well is still recorded whole; what a bomb unpacks to is not.
  private static let leastDecodedBody = 16 << 20
  private static let decodingFactor = 4
}

extension CaptureOptions {
  /// The settings in force, for `--verbose`.
  func settingsText(of configuration: ProxyConfiguration) -> String {
    [
      "threads \(configuration.threads)", "bodies \(log.bodies.rawValue) up to \(log.maxBody)",
      log.keepsSecrets ? "secrets kept" : "secrets redacted",
      configuration.interception == nil ? "HTTPS tunnelled" : "HTTPS intercepted",
      configuration.upstreamProxy.map { "servers through \($0)" } ?? "servers reached directly",
      "connections \(faithfulness.sharesConnections ? "shared" : "the clients' own")",
      "connect time-out \(Self.text(limits.connectTimeout))", "idle \(Self.text(limits.idleTimeout))",
      "header \(Self.text(limits.headerTimeout))", "response \(Self.text(limits.responseTimeout))",
      "header size \(limits.maxHeaderSize)", "connections \(configuration.maxConnections)", "rotation at \(log.rotateSize)",
      "fsync \(log.fsync)",
    ].joined(separator: ", ")
  }

  private static func text(_ limit: DurationArgument?) -> String {
    limit?.description ?? "none"
  }
}

extension LogOptions.BodyChoice {
  fileprivate var policy: ProxyConfiguration.BodyPolicy {
    switch self {
    case .none: .none
    case .text: .text
    case .all: .all
    }
  }
}

extension SyncArgument {
  fileprivate var policy: SyncPolicy {
    switch self {
    case .never: .never
    case .eachWrite: .eachWrite
    case .interval(let interval): .interval(nanoseconds: interval.nanoseconds)
    }
  }
}
