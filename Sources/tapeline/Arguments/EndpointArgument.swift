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
    guard let colon = argument.lastIndex(of: ":") else { return nil }
    let digits = argument[argument.index(after: colon)...]
    guard digits.utf8.allSatisfy(Byte.isDigit), let port = UInt16(digits) else {
      return nil
    }
    guard let literal = Self.literal(host: argument[..<colon]) else { return nil }
    guard let address = SocketAddress(literal: literal, port: port) else { return nil }
    self.init(address)
  }

  /// The host without its brackets, which IPv6 must have and IPv4 must not.
  private static func literal(host: Substring) -> String? {
    if host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") { return String(host.dropFirst().dropLast()) }
    if host.contains(":") { return nil }
    return host.lowercased() == "localhost" ? "127.0.0.1" : String(host)
  }

  /// 127.0.0.1 at `port`.
  static func loopback(port: UInt16) -> EndpointArgument {
    guard let address = SocketAddress(literal: "127.0.0.1", port: port) else {
      preconditionFailure("127.0.0.1 is a literal address")
    }
    return EndpointArgument(address)
  }

  var description: String { address.description }

  /// Where a client on this machine finds what listens here: an address that means "all of mine" is none to connect to.
  var reachable: EndpointArgument {
    guard address.isUnspecified else { return self }
    return switch address.family {
    case .ipv4: .loopback(port: address.port)
    case .ipv6: SocketAddress(literal: "::1", port: address.port).map(EndpointArgument.init) ?? self
    }
  }
}
