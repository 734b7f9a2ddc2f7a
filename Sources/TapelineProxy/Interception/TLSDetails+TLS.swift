internal import TapelineCore
internal import TapelineTLS
internal import TapelineTransport

extension TLSDetails {
  /// What a client's hello shows.
  init(_ hello: ClientHello) {
    self.init()
    serverName = hello.serverName
    offeredVersions = hello.versions.map(\.name)
    offeredProtocols = hello.applicationProtocols.map(\.name)
  }

  /// What an observer of both directions has seen; `nil` when it was no TLS.
  init?(_ observer: TLSRecordObserver) {
    guard let hello = observer.clientHello else { return nil }
    self.init(hello)
    version = observer.serverHello?.version?.name
    applicationProtocol = observer.serverHello?.applicationProtocol?.name
    alert = observer.alert.map { seen in
      Alert(name: seen.alert.name, origin: seen.direction == .toServer ? "client" : "upstream")
    }
  }

  /// A connection of which we are an end.
  init(_ parameters: TLSParameters) {
    self.init()
    adopt(parameters)
    serverName = parameters.serverName
  }

  /// What was agreed on.
  mutating func adopt(_ parameters: TLSParameters) {
    version = parameters.version.name
    cipher = parameters.cipher
    applicationProtocol = parameters.applicationProtocol?.name
    isResumed = parameters.isResumed
    certificate = parameters.certificate.map { Certificate($0) }
    switch parameters.verification {
    case .unverified: isUnverified = true
    case .verified, .notAsked: isUnverified = false
    }
  }

  /// A connection that failed; `peer` is its other end.
  mutating func adopt(_ failure: TLSError, peer: String) {
    if let refused = failure.certificate { certificate = Certificate(refused) }
    if case .peerAlert(let received) = failure.kind {
      alert = Alert(name: received.name, origin: peer)
    } else if let sent = failure.alertSent {
      alert = Alert(name: sent.name, origin: "local")
    }
  }
}

extension TLSDetails.Certificate {
  init(_ summary: CertificateSummary) {
    self.init(
      subject: summary.subject, issuer: summary.issuer, names: summary.names, notBefore: summary.notBefore,
      notAfter: summary.notAfter, fingerprint: summary.fingerprint, serialNumber: summary.serialNumber)
  }
}

extension ExchangeRecord {
  /// Takes over what the transport measured, TLS with the origin included.
  mutating func adoptWithTLS(_ metrics: TaskMetrics) {
    adopt(metrics)
    if let parameters = metrics.tls { serverTLS = TLSDetails(parameters) }
    if let failure = metrics.tlsFailure {
      var details = serverTLS ?? TLSDetails()
      details.adopt(failure, peer: "upstream")
      serverTLS = details
    }
  }
}
