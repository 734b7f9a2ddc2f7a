internal import ArgumentParser
internal import TapelineLoop
internal import TapelineText

/// `HOST:PORT` on the command line: a numeric address, IPv6 in brackets, or `localhost`, which is 127.0.0.1.
struct EndpointArgument: ExpressibleByArgument, Hashable, CustomStringConvertible {
  let address: SocketAddress

  init(_ address: SocketAddress) {
    self.address = address
  }

  init?(argument: String) {
    guard let place = HostAndPort(argument, allowsPortZero: true), let port = place.port,
      let address = SocketAddress(literal: place.host.lowercased() == "localhost" ? "127.0.0.1" : place.host, port: port)
    else { return nil }
    self.init(address)
  }

  /// 127.0.0.1 at `port`.
  static func loopback(port: UInt16) -> EndpointArgument {
    guard let address = SocketAddress(literal: "127.0.0.1", port: port) else {
      preconditionFailure("127.0.0.1 is a literal address")
    }
    return EndpointArgument(address)
  }

  var description: String { address.description }

  /// The address at which a client on this machine reaches a listener here: a client cannot connect to "all addresses".
  var reachable: EndpointArgument {
    guard address.isUnspecified else { return self }
    return switch address.family {
    case .ipv4: .loopback(port: address.port)
    case .ipv6: SocketAddress(literal: "::1", port: address.port).map(EndpointArgument.init) ?? self
    }
  }
}
