internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTransport

/// What a request inside a tunnel says of where it goes. It goes where the tunnel leads; the server may nevertheless take it for another
/// host's, so that a rule about that host concerns it.
extension InterceptedTunnel {
  /// Where the request says it goes, if that is not where the tunnel leads.
  func otherDestination(namedBy head: RequestHead) -> Route? {
    let named: Route
    switch head.target {
    case .absolute(let target):
      named = Route(host: target.host, port: target.port, security: route.security, reach: route.reach)
    case .origin, .asterisk:
      guard let host = head.fields.first(of: .host), host != implied.authority, let parts = HostAndPort.parse(host[...]) else {
        return nil
      }
      named = Route(
        host: parts.host, port: parts.port ?? route.security.defaultPort, security: route.security, reach: route.reach)
    case .authority:
      return nil
    }
    return named.host == route.host && named.port == route.port ? nil : named
  }
}
