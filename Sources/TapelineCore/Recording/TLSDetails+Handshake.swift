package import TapelineTLS
internal import TapelineTransport

extension TLSDetails {
  /// Takes over the parameters that were agreed on.
  package mutating func adopt(_ parameters: TLSParameters) {
    facts.adopt(parameters)
  }

  /// Takes over the failure of a connection; `peer` is its other end.
  package mutating func adopt(_ failure: TLSError, peer: String) {
    facts.adopt(failure, peer: peer)
  }
}

extension TLSDetails.Facts {
  /// The details of a connection with an origin.
  init(_ outcome: HandshakeOutcome) {
    self.init()
    switch outcome {
    case .agreed(let parameters):
      adopt(parameters)
      serverName = parameters.serverName
    case .failed(let error):
      adopt(error, peer: "upstream")
    }
  }

  mutating func adopt(_ parameters: TLSParameters) {
    version = parameters.version.name
    cipher = parameters.cipher
    applicationProtocol = parameters.applicationProtocol?.name
    isResumed = parameters.isResumed
    certificate = parameters.certificate.map { TLSDetails.Certificate($0) }
    switch parameters.verification {
    case .unverified: isUnverified = true
    case .verified, .notAsked: isUnverified = false
    }
  }

  mutating func adopt(_ failure: TLSError, peer: String) {
    if let refused = failure.certificate { certificate = TLSDetails.Certificate(refused) }
    if case .peerAlert(let received) = failure.kind {
      alert = TLSDetails.Alert(name: received.name, origin: peer)
    } else if let sent = failure.alertSent {
      alert = TLSDetails.Alert(name: sent.name, origin: "local")
    }
  }
}

extension TLSDetails.Certificate {
  fileprivate init(_ summary: CertificateSummary) {
    self.init(
      subject: summary.subject, issuer: summary.issuer, names: summary.names, notBefore: summary.notBefore,
      notAfter: summary.notAfter, fingerprint: summary.fingerprint, serialNumber: summary.serialNumber)
  }
}
