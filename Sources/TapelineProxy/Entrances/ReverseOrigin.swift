package import TapelineHTTP
package import TapelineLoop
internal import TapelineText
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
  /// Whether the origin is told the host that the client names, and not its own.
  package var keepsHost = false

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

  /// What `Host` has to say; `nil`: what the client said.
  var namedHost: String? { keepsHost ? nil : authority }
}
