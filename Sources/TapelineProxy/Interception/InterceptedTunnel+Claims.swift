internal import TapelineCore
internal import TapelineHTTP
internal import TapelineText
internal import TapelineTransport

/// The destination that a request inside a tunnel names. The request goes where the tunnel leads; but the server may take it for
/// another host's request, so a rule about that host applies to it.
extension InterceptedTunnel {
  /// Where a tunnel leads, by the name for which the server must have a certificate, or else by the name in the CONNECT.
  static func destination(of route: Route) -> Route {
    guard case .tls(let serverName) = route.security, serverName != route.host else { return route }
    return Route(host: serverName, port: route.port, security: route.security, reach: route.reach)
  }

  /// The destination that the request names, if the tunnel does not lead there.
  func otherDestination(namedBy head: RequestHead) -> Route? {
    let named: Route
    switch head.target {
    case .absolute(let target):
      named = Route(host: target.host, port: target.port, security: route.security, reach: route.reach)
    case .origin, .asterisk:
      guard let host = head.fields.first(of: .host), host != implied.authority, let authority = Authority(host),
        !authority.host.isEmpty
      else { return nil }
      named = Route(
        host: authority.host, port: authority.port ?? route.security.defaultPort, security: route.security, reach: route.reach)
    case .authority:
      return nil
    }
    return named.host == destination.host && named.port == destination.port ? nil : named
  }
}
