/// Who may use the proxy, and to reach which hosts.
package struct AccessPolicy: Sendable {
  /// `nil`: everybody who can connect.
  package var credentials: ProxyCredentials?
  /// Empty: every host.
  package var allowedHosts: [HostPattern] = []
  /// They win over `allowedHosts`.
  package var deniedHosts: [HostPattern] = []

  package init() {}

  func permits(host: String) -> Bool {
    if deniedHosts.contains(where: { $0.matches(host) }) { return false }
    return allowedHosts.isEmpty || allowedHosts.contains { $0.matches(host) }
  }

  /// - Parameter authorizations: the values of the request's `Proxy-Authorization` lines; looked up only where they count.
  func admits(_ authorizations: @autoclosure () -> [String]) -> Bool {
    guard let credentials else { return true }
    let authorizations = authorizations()
    return authorizations.count == 1 && credentials.match(authorizations[0])
  }
}
