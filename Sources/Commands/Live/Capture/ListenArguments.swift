package import TapelineProxy

/// A place to listen at, on the command line: `HOST:PORT`, or `unix:PATH`.
package enum ListenArgument: Hashable, Sendable {
  case address(Endpoint)
  case path(String)

  private static let scheme = "unix:"

  package init?(_ text: String) {
    if text.hasPrefix(Self.scheme) {
      let path = String(text.dropFirst(Self.scheme.count))
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .path(path)
    } else {
      guard let endpoint = Endpoint(text) else { return nil }
      self = .address(endpoint)
    }
  }
}

/// An address that leads to an origin, on the command line: `HOST:PORT=URL`, or the URL alone for a free port on 127.0.0.1.
package struct ReverseArgument: Hashable, Sendable {
  package let endpoint: Endpoint
  package let origin: ReverseOrigin

  package init?(_ text: String) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard let last = parts.last, let origin = ReverseOrigin(String(last)) else { return nil }
    guard let endpoint = parts.count == 2 ? Endpoint(String(parts[0])) : .loopback(port: 0) else { return nil }
    self.endpoint = endpoint
    self.origin = origin
  }
}
