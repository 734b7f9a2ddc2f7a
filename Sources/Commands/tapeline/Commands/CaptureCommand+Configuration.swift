internal import TapelineLive
internal import TapelineOffline
internal import TapelineOTLP
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineRecorder
internal import TapelineSystem

/// The differences between the commands that record.
struct CaptureDefaults {
  let listen: Endpoint
  let intercepts: Bool
  /// Whether the clients are told whom to trust.
  var handsOverTrust = false
  /// The title of the log's first page.
  let title: String
  /// The path of the log if the user has not asked for one; the caller removes the log. Absent if the log is kept in any case.
  var scratchOutput: String?
  /// Whether the proxy must have an address, beside local sockets: its clients know nothing else.
  var needsAddress = true
  /// Whether `--network` holds packets, and not exchanges.
  var holdsPackets = false
  /// Sockets that the service manager has handed over.
  var sockets: [Int32] = []
  /// How clients hear of servers that fail.
  var failures = FailurePolicy.page
  /// How to treat a proxy that the environment names.
  var inheritedProxy = InheritedProxy.Use.ignored
}

extension CaptureCommand {
  /// The recording that the options ask for.
  func recording(_ defaults: CaptureDefaults) throws(CommandFailure) -> RecordingConfiguration {
    var proxy = proxyConfiguration(
      defaultListen: defaults.listen, needsAddress: defaults.needsAddress && defaults.sockets.isEmpty)
    proxy.listenDescriptors = defaults.sockets
    if !defaults.sockets.isEmpty, listening.listen.isEmpty { proxy.listen = [] }
    let credentials = try access.auth.map { argument throws(CommandFailure) in
      try CredentialPair.read(argument, for: "--auth")
    }
    proxy.access = access.policy(credentials: credentials)
    let route = try upstream.route(
      besides: proxy.listen, environment: ProcessEnvironment.variables(), use: defaults.inheritedProxy)
    proxy.upstreamProxy = route.proxy
    let link = conditions.link
    let delaying = defaults.holdsPackets ? nil : link
    proxy.rules = try conditions.current(with: delaying, isQuiet: quiet)
    proxy.failures = faithfulness.failures ?? defaults.failures
    let output = log.output ?? defaults.scratchOutput
    var configuration = RecordingConfiguration(
      proxy: proxy, recorder: try recorderConfiguration(output: output ?? "", title: defaults.title))
    configuration.servers = https.configuration
    if https.intercepts(byDefault: defaults.intercepts) {
      var decryption = configuration.servers
      decryption.handsOverTrust = defaults.handsOverTrust
      configuration.https = decryption
    }
    configuration.output = output
    configuration.isKept = log.output != nil || defaults.scratchOutput == nil
    configuration.credentials = credentials
    configuration.name = listening.name
    configuration.portFile = listening.portFile
    configuration.isQuiet = quiet
    configuration.settings = verbose ? settingsText(of: proxy, intercepts: configuration.https != nil) : nil
    configuration.notes = route.notes + [delaying?.note].compactMap(\.self)
    configuration.link = link
    configuration.export = try export.configuration()
    // Spans that are exported have no secrets, whatever the log has.
    if log.secrets.keepsSecrets { configuration.export?.redaction = try RedactionFiles.rules([]) }
    return configuration
  }

  /// The proxy's configuration, except for HTTPS. The endpoints were checked with the options.
  func proxyConfiguration(defaultListen: Endpoint, needsAddress: Bool = true) -> ProxyConfiguration {
    let isDefault = listening.addresses.isEmpty && (needsAddress || listening.listen.isEmpty)
    let endpoints = isDefault ? [defaultListen] : listening.addresses
    var configuration = ProxyConfiguration(listen: endpoints.map(\.address))
    configuration.listenPaths = listening.paths
    configuration.allowsRemote = listening.allowRemote
    configuration.reverse = listening.reverseListeners
    configuration.threads = limits.threads ?? MachineShare.threads
    configuration.clock = log.clock
    configuration.connectTimeout = limits.connectTimeout?.duration
    configuration.idleTimeout = limits.idleTimeout?.duration
    configuration.headerTimeout = limits.headerTimeout?.duration
    configuration.responseTimeout = limits.responseTimeout?.duration
    configuration.sharesConnections = faithfulness.sharesConnections
    if faithfulness.speaksHTTP1Alone { configuration.speaksHTTP2 = false }
    configuration.namesItself = faithfulness.namesItself
    configuration.stripsAlternatives = faithfulness.stripsAlternatives
    configuration.limits = limits.messages
    configuration.bodies = log.bodies
    configuration.recordsOwnPages = log.recordOwn
    configuration.maxBody = log.maxBody.bytes
    configuration.maxConnections = limits.maxConnections ?? MachineShare.connections
    return configuration
  }

  /// The recorder's configuration. The recorder's own thread reports errors at once.
  func recorderConfiguration(output: String, title: String) throws(CommandFailure) -> RecorderConfiguration {
    var configuration = RecorderConfiguration(path: output, title: title, creatorVersion: programVersion)
    configuration.redaction = log.secrets.keepsSecrets ? nil : try RedactionFiles.rules(log.secrets.redactionFiles)
    configuration.replacesFile = log.force
    configuration.bodiesDirectory = log.bodiesDir
    configuration.fileSizeLimit = log.rotateSize.bytes
    configuration.rotationInterval = log.rotateEvery?.duration
    configuration.keptFiles = log.rotateKeep
    if let queue = log.queue { configuration.queueLimit = queue.bytes }
    if log.overload == .wait { configuration.overload = .wait(patience: log.overloadPatience?.duration ?? .seconds(30)) }
    configuration.sync = log.fsync.policy
    configuration.decodedBodyLimit = max(leastDecodedBody, log.maxBody.bytes * decodingFactor)
    configuration.debugLog = log.debugLog.map { $0 == "-" ? .standardOutput : .file($0) }
    configuration.includesDebug = log.debugEntries
    configuration.keeps = try log.filter.map { (text) throws(CommandFailure) in try RecordingFilter.predicate(text) }
    configuration.onError = { error in Console.say(error.description) }
    return configuration
  }
}

extension CaptureCommand {
  /// The settings in force, for `--verbose`.
  private func settingsText(of configuration: ProxyConfiguration, intercepts: Bool) -> String {
    [
      "threads \(configuration.threads)", "marks by the \(log.clock) clock", "bodies \(log.bodies.rawValue) up to \(log.maxBody)",
      log.secrets.keepsSecrets ? "secrets kept" : "secrets redacted",
      intercepts ? "HTTPS intercepted" : "HTTPS tunnelled",
      configuration.upstreamProxy.map { "servers through \($0)" } ?? "servers reached directly",
      "connections \(faithfulness.sharesConnections ? "shared" : "the clients' own")",
      configuration.failures == .page ? "failures answered by pages" : "failures passed on",
      "connect time-out \(Self.text(limits.connectTimeout))", "idle \(Self.text(limits.idleTimeout))",
      "header \(Self.text(limits.headerTimeout))", "response \(Self.text(limits.responseTimeout))",
      "header size \(limits.maxHeaderSize)", "header fields \(limits.maxHeaderFields)",
      "tolerated \(limits.tolerate.isEmpty ? "nothing" : limits.tolerate.joined(separator: " "))",
      "connections \(configuration.maxConnections)", "rotation at \(log.rotateSize)",
      "queue \(SizeArgument(bytes: log.queue?.bytes ?? RecorderConfiguration.standardQueueLimit)), overload \(log.overload.rawValue)",
      "fsync \(log.fsync)",
    ].joined(separator: ", ")
  }

  private static func text(_ limit: DurationArgument?) -> String { limit?.description ?? "none" }
}

extension SyncArgument {
  fileprivate var policy: SyncPolicy {
    switch self {
    case .never: .never
    case .eachWrite: .eachWrite
    case .interval(let interval): .interval(interval.duration)
    }
  }
}

/// Well-compressed text is still recorded whole; the contents of a decompression bomb are not.
private let leastDecodedBody = 16 << 20
private let decodingFactor = 4
