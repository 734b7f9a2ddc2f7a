internal import TapelineTLS

extension ClientHello {
  /// The host that the client means. Some put into their hello what is none, such as `localhost:9751`: then it is the one that the tunnel leads
  /// to.
  func host(inTunnelTo target: String) -> String {
    namesHost ? serverName ?? target : target
  }

  /// Whether its name, if it has one, is such as a certificate can be made for.
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
