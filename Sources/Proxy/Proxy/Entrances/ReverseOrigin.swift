package import TapelineHTTP
package import TapelineLoop
package import TapelineBase
internal import TapelineTransport

/// An address, and the origin that all requests go to that come in there.
package struct ReverseListener: Sendable, Hashable {
  package var address: SocketAddress
  package let origin: ReverseOrigin

  package init(address: SocketAddress, origin: ReverseOrigin) {
    self.address = address
    self.origin = origin
  }
}

/// An origin to which a listener leads.
package struct ReverseOrigin: Sendable, Hashable, CustomStringConvertible {
  package let scheme: URIScheme
  /// A name or an address, without brackets.
  package let host: String
  package let port: UInt16
  /// The host that an origin is told.
  package enum ToldHost: String, Sendable, Hashable, CaseIterable {
    /// The client's.
    case keep
    /// The origin's own.
    case rewrite
  }

  package var toldHost = ToldHost.rewrite
  /// The names to which its address answers, besides those of this machine and of the origin.
  package var names: [HostPattern] = []

  /// Reads `http://HOST[:PORT]` or `https://HOST[:PORT]`, with at most a slash after it.
  package init?(_ text: String) {
    let reference = URIReference(text)
    guard let name = reference.scheme, let authority = reference.authority.flatMap({ HostAndPort($0) }) else { return nil }
    let scheme = URIScheme(name)
    guard scheme == .http || scheme == .https, let standard = scheme.defaultPort else { return nil }
    guard ["", "/"].contains(reference.path), reference.query == nil, reference.fragment == nil else { return nil }
    self.scheme = scheme
    host = authority.host.lowercased()
    port = authority.port ?? standard
  }

  /// Host, and port unless it is the scheme's default.
  var authority: String { route.authority }

  package var description: String { "\(scheme.text)://\(authority)" }

  /// The connection, before it is secured.
  var place: Route { Route(host: host, port: port) }

  var route: Route { scheme == .https ? place.secured(serverName: host) : place }

  /// The value of `Host`; `nil`: the client's.
  var namedHost: String? {
    switch toldHost {
    case .keep: nil
    case .rewrite: authority
    }
  }

  /// Whether a request for `name` is answered. The origin may trust its own name alone, against names that somebody points here
  /// (DNS rebinding): where it is told its own, it cannot judge the client's, and we must.
  ///
  /// - Parameters:
  ///   - name: as the client gives it; `nil` from clients without one, which no browser is.
  ///   - hostName: this machine's own.
  func answers(to name: String?, hostName: String) -> Bool {
    guard let name else { return true }
    return switch toldHost {
    case .keep: true
    case .rewrite:
      LocalAudience.isThisMachine(name, hostName: hostName) || Host(name) == Host(host) || names.contains { $0.matches(name) }
    }
  }
}
