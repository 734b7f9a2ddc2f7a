package import TapelineTLS

/// Which TLS connections the proxy ends itself, so that their exchanges are seen, and with what certificates.
package struct Interception: Sendable {
  package let certificates: LeafCertificateCache
  package let context: TLSServerContext
  /// Empty: every host.
  package var interceptHosts: [HostPattern] = []
  /// Hosts that are left alone. They win over `interceptHosts`.
  package var passthroughHosts: [HostPattern] = []
  /// Whether a client that refuses our certificate for a host is passed through to it from then on.
  package var failsOpen = true
  let clients = ClientTrust()

  package init(certificates: LeafCertificateCache, context: TLSServerContext) {
    self.certificates = certificates
    self.context = context
  }
}

extension Interception {
  /// What becomes of a connection.
  enum Decision: Hashable {
    case intercept
    /// It is relayed as it is; the comment says why, unless that was asked for.
    case relay(comment: String?)
  }

  /// Whether the hosts that the user named include one of `names`: a connection may have two, the tunnel's and the one in the hello.
  func covers(_ names: [String]) -> Bool {
    if passthroughHosts.contains(where: { names.contains(where: $0.matches) }) { return false }
    return interceptHosts.isEmpty || interceptHosts.contains { names.contains(where: $0.matches) }
  }

  /// - Parameters:
  ///   - host: where the tunnel leads.
  ///   - client: the client's address.
  func decision(for hello: ClientHello, toward host: String, from client: String) -> Decision {
    let name = hello.serverName ?? host
    guard covers([host, name]) else { return .relay(comment: nil) }
    if let refusal = clients.refusal(by: client, of: name) {
      return .relay(comment: "passed through: this client refused our certificate for \(name) before (\(refusal))")
    }
    let offered = hello.applicationProtocols
    guard offered.isEmpty || offered.contains(.http11) else {
      let names = offered.map(\.name).joined(separator: ", ")
      return .relay(comment: "passed through: the client offers only \(names), which is not decrypted")
    }
    return .intercept
  }
}

extension ClientTrust.Refusal: CustomStringConvertible {
  var description: String {
    switch self {
    case .alert(let name): "alert \(name)"
    case .silence: "it hung up"
    }
  }
}
