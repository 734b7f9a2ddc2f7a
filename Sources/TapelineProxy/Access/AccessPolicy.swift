internal import TapelineCore
internal import TapelineLoop
internal import TapelineText
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
    if authorizations.count == 1, credentials.match(authorizations[0]) { return .admitted }
    credentials.throttle.noteFailure(of: address, at: instant)
    return .unknown
  }

  /// The refusal that is known before any name is looked up.
  func refusal(toward route: Route) -> Refusal? {
    guard permits(host: route.host, port: route.port) else { return .denied }
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

  private func permits(host: String, port: UInt16) -> Bool {
    if !deniedHosts.isEmpty {
      // Names below `localhost` are the same place.
      let names = Host(host).isLocalhost ? [host, "localhost"] : [host]
      if deniedHosts.contains(where: { pattern in names.contains { pattern.matches(host: $0, port: port) } }) { return false }
    }
    return allowedHosts.isEmpty || allowedHosts.contains { $0.matches(host: host, port: port) }
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
    /// Because of `allowedHosts` and `deniedHosts`.
    case denied
    /// Because the client is on another machine.
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
      case .denied:
        "this proxy was told not to reach \(route.host) (--allow-host, --deny-host)"
      case .protected(let destination):
        "this proxy does not connect clients on other machines to \(route.host), \(destination.rawValue), unless --allow-host names it"
      }
    }
  }
}
