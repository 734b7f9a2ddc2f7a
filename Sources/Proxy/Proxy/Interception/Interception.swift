internal import TapelineCore
internal import TapelineLoop
package import TapelineTLS
package import TapelineBase
package import TapelineTime

/// The TLS connections that the proxy ends itself, so that their exchanges are seen, and the certificates for them.
package struct Interception: Sendable {
  package let certificates: LeafCertificateCache
  package let context: TLSServerContext
  /// Empty: every host.
  package var interceptHosts: [HostPattern] = []
  /// Hosts that are not intercepted. They win over `interceptHosts`.
  package var passthroughHosts: [HostPattern] = []
  /// Whether a client that refuses our certificate for a host again and again is passed through to it.
  package var failsOpen = true
  /// Whether the clients were told whom to trust: then a client that still refuses us means it, and is passed through at once.
  package var handsOverTrust = false
  /// The names of the environment variables by which programs learn whom to trust.
  package var trustVariables: Set<String> = []
  /// Called on a loop: it does not wait.
  package var notice: (@Sendable (RefusalNotice) -> Void)?
  /// Called on a loop: it does not wait.
  package var certificateNotice: (@Sendable (CertificateDemand) -> Void)?
  let clients = ClientTrust()

  package init(certificates: LeafCertificateCache, context: TLSServerContext) {
    self.certificates = certificates
    self.context = context
  }

  /// The clients that are passed through now, and to which host; from any thread.
  package func passedThroughClients(at now: MonotonicInstant) -> [PassedThroughClient] {
    let refusing = clients.verdicts(at: now).map { client, host, verdict in
      PassedThroughClient(
        host: host, client: TLSClient.name(of: client), reason: verdict.refusal.description, since: verdict.since,
        expires: verdict.expires)
    }
    let authenticating = clients.certificateDemands(at: now).map { demand in
      PassedThroughClient(
        host: demand.host, client: demand.client, reason: "its server \(demand.reason)", since: demand.since,
        expires: demand.expires ?? now)
    }
    return refusing + authenticating
  }

  /// Intercepts every client again, whatever it refused; from any thread.
  package func forgetRefusals() {
    clients.forgetRefusals()
  }
}

extension Interception {
  /// The decision about a connection.
  enum Decision: Hashable {
    case intercept(TLSClient)
    /// The connection is relayed as it is; the comment says why, unless the user asked for that.
    case relay(UnreadReason, comment: String?)
  }

  /// Whether the hosts that the user named include one of `names`: a connection may have two, the tunnel's and the one in the
  /// hello.
  func covers(_ names: [String]) -> Bool {
    if passthroughHosts.contains(where: { names.contains(where: $0.matches) }) { return false }
    return interceptHosts.isEmpty || interceptHosts.contains { names.contains(where: $0.matches) }
  }

  /// - Parameters:
  ///   - host: where the tunnel leads.
  ///   - address: the client's.
  ///   - speaksHTTP2: whether HTTP/2 is read, beside HTTP/1.1.
  ///   - findProgram: looks up the client's program. This takes time, so it is called only where the program matters.
  func decision(
    for hello: ClientHello, toward host: String, from address: String, speaksHTTP2: Bool, at now: MonotonicInstant,
    findProgram: () -> ClientProgram?
  ) -> Decision {
    let name = hello.host(inTunnelTo: host)
    guard covers([host, name]) else { return .relay(.passedThrough, comment: nil) }
    let offered = hello.applicationProtocols
    guard offered.isEmpty || !ProtocolMirror(offered, speaksHTTP2: speaksHTTP2).offered.isEmpty else {
      let names = offered.map(\.name).joined(separator: ", ")
      return .relay(.h2Only, comment: "passed through: the client offers only \(names), which is not decrypted")
    }
    guard hello.acceptsLeaf || !failsOpen else {
      return .relay(
        .unservedHello,
        comment:
          "passed through: the client's hello allows none of the versions, ciphers and signatures of tapeline's certificates")
    }
    let source = TLSClient.Source(address: address, fingerprint: hello.fingerprint)
    guard failsOpen else { return .intercept(TLSClient(source: source, program: .notLookedFor)) }
    if let relay = relayForCertificate(of: hello, from: address, for: name, at: now) { return relay }
    // Where the first refusal decides, we must know who refused.
    guard handsOverTrust || clients.wantsProgram(of: source, for: name, at: now) else {
      return .intercept(TLSClient(source: source, program: .notLookedFor))
    }
    let client = TLSClient(source: source, program: findProgram().map { .known($0) } ?? .hidden)
    guard let verdict = clients.verdict(on: client, for: name, at: now) else { return .intercept(client) }
    return .relay(
      verdict.refusal.reason(of: client),
      comment: "passed through: \(client.name) refused our certificate for \(name) before (\(verdict.refusal))")
  }

  /// The program at the client's end, if it runs on this machine and we may look at it. We look while the client waits for our
  /// hello: once it has refused us, its socket is gone.
  ///
  /// - Parameter diagnostics: of the network that the client is in (`NetworkSockets`); `nil`: ours, or another machine's.
  func program(at channel: Channel, askedBy diagnostics: Int32?) -> ClientProgram? {
    guard let peer = channel.peerAddress, let own = channel.localAddress, diagnostics != nil || peer.isOfThisMachine,
      let holder = RunningProcess.owner(of: peer, to: own, likely: clients.likelyHolders, askedBy: diagnostics)
    else { return nil }
    return clients.program(of: holder) { ClientProgram($0, trustVariables: trustVariables) }
  }

  /// The client does not want our certificate for `host`.
  ///
  /// - Returns: the comment for the entry; `nil` when the refusal is not believed.
  func noteRefusal(_ refusal: ClientTrust.Refusal, by client: TLSClient, of host: String, at now: MonotonicInstant) -> String? {
    func say(_ consequence: RefusalNotice.Consequence) {
      notice?(
        RefusalNotice(
          host: host, client: client.name, refusal: refusal.description, trust: refusal.trust(of: client),
          consequence: consequence))
    }
    guard failsOpen else {
      if clients.isNews(host: host) { say(.none) }
      return nil
    }
    let refused = "\(client.name) refused our certificate for \(host) (\(refusal))"
    switch clients.noteRefusal(refusal, by: client, of: host, at: now, suffices: handsOverTrust) {
    case .notBelieved:
      return nil
    case .noted(let isNews):
      if isNews { say(.suspicion) }
      return "\(refused): if it does so again within a minute, it is passed through to that host"
    case .passedThrough(let isNews):
      if isNews { say(.passedThrough) }
      return "\(refused): from now on it is passed through to that host"
    }
  }
}

/// A client's refusal of our certificate, told to a person once.
package struct RefusalNotice: Sendable, Hashable {
  package enum Consequence: Sendable, Hashable {
    /// The next connection is intercepted again.
    case none
    /// As `none`, but a second refusal within a minute will have the client passed through.
    case suspicion
    /// The client is passed through to the host.
    case passedThrough
  }

  package let host: String
  /// The name of the program, or the client's address.
  package let client: String
  /// The alert, or that the client hung up.
  package let refusal: String
  package let trust: Trust
  package let consequence: Consequence

  /// Our knowledge of whom the client trusts.
  package enum Trust: Sendable, Hashable {
    case unknown
    /// Authorities of its own.
    case ownAuthority
    /// Those of a browser, which may go on in spite of them.
    case browser
    /// The one that this word of its command line is about.
    case named(String)
  }

  package init(host: String, client: String, refusal: String, trust: Trust = .unknown, consequence: Consequence) {
    self.trust = trust
    self.host = host
    self.client = client
    self.refusal = refusal
    self.consequence = consequence
  }
}

/// A client that is passed through to a host because it refused our certificate there.
package struct PassedThroughClient: Sendable, Hashable {
  package let host: String
  package let client: String
  /// How it refused.
  package let reason: String
  package let since: MonotonicInstant
  package let expires: MonotonicInstant

  package init(host: String, client: String, reason: String, since: MonotonicInstant, expires: MonotonicInstant) {
    self.host = host
    self.client = client
    self.reason = reason
    self.since = since
    self.expires = expires
  }
}
