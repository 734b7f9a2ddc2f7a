internal import ArgumentParser
internal import TapelineLive
internal import TapelineProxy

/// A place to listen at, on the command line: `HOST:PORT`, or `unix:PATH`.
enum ListenArgument: ExpressibleByArgument, Hashable {
  case address(Endpoint)
  case path(String)

  private static let scheme = "unix:"

  init?(argument: String) {
    if argument.hasPrefix(Self.scheme) {
      let path = String(argument.dropFirst(Self.scheme.count))
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .path(path)
    } else {
      guard let endpoint = Endpoint(argument) else { return nil }
      self = .address(endpoint)
    }
  }
}

/// An address that leads to an origin, on the command line: `HOST:PORT=URL`, or the URL alone for a free port on 127.0.0.1.
struct ReverseArgument: ExpressibleByArgument, Hashable {
  let endpoint: Endpoint
  let origin: ReverseOrigin

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1)
    guard let last = parts.last, let origin = ReverseOrigin(String(last)) else { return nil }
    guard let endpoint = parts.count == 2 ? Endpoint(String(parts[0])) : .loopback(port: 0) else { return nil }
    self.endpoint = endpoint
    self.origin = origin
  }
}
