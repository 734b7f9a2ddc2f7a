internal import TapelineCore
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// The rules for who may use the proxy and which hosts they may reach.
package struct AccessPolicy: Sendable {
  /// `nil`: everybody who can connect.
  package var credentials: ProxyCredentials?
  /// Empty: every host.
  package var allowedHosts: [DestinationPattern] = []
  /// They win over `allowedHosts`.
  package var deniedHosts: [DestinationPattern] = []

  package init() {}

  /// The answer to a client that asks to use the proxy.
  enum Admission: Hashable {
    case admitted
    /// The name and the password are missing or wrong.
    case unknown
    /// Too many wrong ones came from that address: we do not look at this one.
    case throttled
  }

  /// - Parameters:
  ///   - authorizations: the values of the request's `Proxy-Authorization` lines; looked up only where they count.
  ///   - address: where the request comes from.
  func admission(
    of authorizations: @autoclosure () -> [String], from address: String, at instant: MonotonicInstant
  ) -> Admission {
    guard let credentials else { return .admitted }
    let authorizations = authorizations()
    // Programs ask without them first: that is not an attempt.
    guard !authorizations.isEmpty else { return .unknown }
    guard credentials.throttle.permits(address, at: instant) else { return .throttled }
    if authorizations.count == 1, credentials.match(authorizations[0]) {
      credentials.throttle.noteSuccess(of: address)
      return .admitted
    }
    credentials.throttle.noteFailure(of: address, at: instant)
    return .unknown
  }

  /// The refusal that is known before any name is looked up.
  ///
  /// - Parameter name: the name that the client looked up to get the route's address, if that is known. A rule for either counts.
  func refusal(toward route: Route, lookedUpAs name: String? = nil) -> Refusal? {
    let isDenied = denies(host: route.host, port: route.port) || name.map { denies(host: $0, port: route.port) } ?? false
    let isAllowed = allows(host: route.host, port: route.port) || name.map { allows(host: $0, port: route.port) } ?? false
    guard isAllowed, !isDenied else { return .denied(name ?? route.host) }
    switch route.reach {
    case .everywhere:
      return nil
    case .guarded:
      let address = SocketAddress(literal: route.host, port: route.port)
      let protected = address.flatMap { protection(of: $0, on: route) } ?? ProtectedDestination(name: route.host)
      guard let protected, !allowedHosts.contains(where: { $0.names(host: route.host, port: route.port) }) else { return nil }
      return .protected(protected)
    }
  }

  /// Whether a route must not lead to `address`, by whatever name.
  func prohibits(_ address: SocketAddress, on route: Route) -> Bool {
    if deniedHosts.contains(where: { $0.matches(address) }) { return true }
    return switch route.reach {
    case .everywhere: false
    case .guarded: protection(of: address, on: route) != nil
    }
  }

  /// Whether a name server may be asked about a name: no rule denies its address, and, where only some hosts are allowed, it is
  /// one of them, or the name is.
  func permitsQuestion(about name: String, to server: SocketAddress) -> Bool {
    guard !denies(host: server.host, port: server.port), !deniedHosts.contains(where: { $0.matches(server) }) else {
      return false
    }
    return allows(host: server.host, port: server.port) || allowedHosts.contains { $0.matches(host: name) }
  }

  private func denies(host: String, port: UInt16) -> Bool {
    guard !deniedHosts.isEmpty else { return false }
    // Names below `localhost` are the same place.
    let names = Host(host).isLocalhost ? [host, "localhost"] : [host]
    return deniedHosts.contains { pattern in names.contains { pattern.matches(host: $0, port: port) } }
  }

  private func allows(host: String, port: UInt16) -> Bool {
    allowedHosts.isEmpty || allowedHosts.contains { $0.matches(host: host, port: port) }
  }

  /// A protected address is open only if it is allowed itself. An allowed name does not open the addresses that it resolves to,
  /// since somebody else decides about those; the exceptions are `localhost` and the names below it, which are ours (RFC 6761
  /// 6.3).
  private func protection(of address: SocketAddress, on route: Route) -> ProtectedDestination? {
    let isLocalName = address.reached.isLoopback && Host(route.host).isLocalhost
    let isNamed = allowedHosts.contains { pattern in
      pattern.names(host: address.reached.host, port: address.port)
        || (isLocalName && pattern.names(host: route.host, port: route.port))
    }
    return isNamed ? nil : ProtectedDestination(address)
  }
}

extension AccessPolicy {
  /// Why a client may not go where it wants to.
  enum Refusal: Hashable {
    /// Because of `allowedHosts` and `deniedHosts`, for the host as the client has named it.
    case denied(String)
    /// Because the client is on another machine, or another user's.
    case protected(ProtectedDestination)

    var kind: ExchangeRecord.Failure.Kind {
      switch self {
      case .denied: .hostDenied
      case .protected: .transport(.destinationProhibited)
      }
    }

    var proxyErrorType: ProxyErrorType {
      switch self {
      case .denied: .requestDenied
      case .protected: .destinationProhibited
      }
    }

    func message(toward route: Route) -> String {
      switch self {
      case .denied(let host):
        "this proxy was told not to reach \(host) (--allow-host, --deny-host)"
      case .protected(let destination):
        "this proxy does not connect clients of other users or machines to \(route.host), \(destination.rawValue), unless --allow-host names it"
      }
    }
  }
}
