package import TapelineLoop
internal import TapelineBase
package import TapelineTransport

/// Where a proxy listens, as people write it: `HOST:PORT` with a numeric address, IPv6 in brackets, or `localhost`, which is
/// 127.0.0.1.
package struct Endpoint: Hashable, Sendable, CustomStringConvertible {
  package let address: SocketAddress

  package init(_ address: SocketAddress) {
    self.address = address
  }

  package init?(_ text: String) {
    guard let place = HostAndPort(text, allowsPortZero: true), let port = place.port,
      let address = SocketAddress(literal: place.host.lowercased() == "localhost" ? "127.0.0.1" : place.host, port: port)
    else { return nil }
    self.init(address)
  }

  /// 127.0.0.1 at `port`.
  package static func loopback(port: UInt16) -> Endpoint {
    guard let address = SocketAddress(literal: "127.0.0.1", port: port) else {
      preconditionFailure("127.0.0.1 is a literal address")
    }
    return Endpoint(address)
  }

  /// Where `tapeline record` listens if the user names no address.
  package static let standard = Endpoint.loopback(port: 8888)

  package var description: String { address.description }

  /// The address at which a client on this machine reaches a listener here: a client cannot connect to "all addresses".
  package var reachable: Endpoint {
    guard address.isUnspecified else { return self }
    return switch address.family {
    case .ipv4: .loopback(port: address.port)
    case .ipv6: SocketAddress(literal: "::1", port: address.port).map(Endpoint.init) ?? self
    }
  }
}

extension UpstreamProxy {
  /// Judges by the proxy's name alone. Other names of this machine are only recognised on connecting.
  package func isReached(at listener: SocketAddress) -> Bool {
    guard listener.port != 0 else { return false }
    return SocketAddress(literal: host == "localhost" ? "127.0.0.1" : host, port: port).map(listener.covers) ?? false
  }
}
