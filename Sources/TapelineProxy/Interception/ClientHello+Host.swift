internal import TapelineTLS

extension ClientHello {
  /// The host that the client means. Some clients put a name into their hello that is not a host, such as `localhost:9751`: then
  /// it is the host that the tunnel leads to.
  func host(inTunnelTo target: String) -> String {
    namesHost ? serverName ?? target : target
  }

  /// Whether a certificate can be made for its name, if it has one.
  var namesHost: Bool {
    guard let serverName else { return true }
    do throws(AuthorityError) {
      _ = try LeafName(host: serverName)
      return true
    } catch {
      return false
    }
  }
}
