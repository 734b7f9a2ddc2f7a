package import TapelineLoop
internal import TapelineBase

/// Where an attempt goes and how: the key under which connections are kept for reuse.
package struct Route: Sendable, Hashable {
  /// Lower-cased, without brackets.
  package let host: String
  package let port: UInt16
  package let security: RouteSecurity
  /// The addresses that it may lead to. A connection made for one reach never serves another.
  package let reach: Reach
  /// Leads to an upstream proxy that forwards what it is given: requests of many origins share such a connection.
  let isForwarding: Bool

  /// - Parameter host: in any case: names are not case-sensitive (RFC 9110 4.2.3).
  package init(host: String, port: UInt16, security: RouteSecurity = .none, reach: Reach = .everywhere) {
    self.host = host.withoutCapitals
    self.port = port
    self.reach = reach
    self.security =
      switch security {
      case .none: .none
      case .tls(let serverName): .tls(serverName: serverName.withoutCapitals)
      }
    isForwarding = false
  }

  /// A route to `proxy`, which forwards.
  init(forwardingBy proxy: UpstreamProxy) {
    host = proxy.host
    port = proxy.port
    security = .none
    reach = .everywhere
    isForwarding = true
  }

  /// The same route, with TLS on it.
  package func secured(serverName: String) -> Route {
    Route(host: host, port: port, security: .tls(serverName: serverName), reach: reach)
  }

  /// `host[:port]` as in a `Host` field: without the port where it is the scheme's default (RFC 9110 7.2).
  package var authority: String {
    Authority.text(host: host, port: port == security.defaultPort ? nil : port)
  }

  /// Whether a connection of this route can be used for `other`: a connection in clear can still be secured.
  func leadsTo(_ other: Route) -> Bool {
    host == other.host && port == other.port && reach == other.reach && (security == .none || security == other.security)
  }
}

/// For whom a connection is made.
package enum Reach: Sendable, Hashable {
  /// For this user's own programs on this machine.
  case everywhere
  /// For a client of another machine, or of another user, which must not reach destinations that only this machine can reach.
  case guarded
}

/// Whether a connection is protected.
package enum RouteSecurity: Sendable, Hashable {
  case none
  /// By TLS with a server that proves to be `serverName`: a name, or the text of an address.
  case tls(serverName: String)

  package var defaultPort: UInt16 {
    switch self {
    case .none: 80
    case .tls: 443
    }
  }
}

extension String {
  /// Usually the string itself, not a copy.
  fileprivate var withoutCapitals: String {
    let bytes = utf8.span
    let hasCapitals = bytes.indices.contains { Byte.isUppercase(bytes[$0]) }
    // ASCII alone: another letter in lower case may be another name.
    return hasCapitals ? String(decoding: utf8.map(Byte.lowercased), as: UTF8.self) : self
  }
}

extension SocketAddress {
  /// Whether connecting to `other` reaches a socket that listens on this address. An unspecified address covers all of this
  /// machine's addresses.
  package func covers(_ other: SocketAddress) -> Bool {
    let other = other.reached
    return reached == other || (isUnspecified && port == other.port && other.isOfThisMachine)
  }
}
