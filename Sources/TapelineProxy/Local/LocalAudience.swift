internal import TapelineHTTP
internal import TapelineLoop

/// Who gets to see the local pages: whoever asked for this machine, not whom another site has sent here.
enum LocalAudience {
  /// Why the request is refused; `nil` when it is welcome.
  ///
  /// - Parameter hostName: this machine's own name.
  static func refusal(of head: RequestHead, hostName: String) -> LocalReply? {
    guard let host = head.namedHost, isThisMachine(host, hostName: hostName) else {
      // A name that somebody lets point here must not make us theirs: DNS rebinding.
      return LocalReply(
        status: 421, text: "tapeline: this proxy's own pages answer to its address, localhost or the machine's name only.",
        proxyError: nil)
    }
    guard !comesFromAnotherSite(head) else {
      return LocalReply(status: 403, text: "tapeline: another site's page may not look in here.", proxyError: nil)
    }
    return nil
  }

  private static func isThisMachine(_ host: String, hostName: String) -> Bool {
    let host = host.lowercased()
    if host == "localhost" || host.hasSuffix(".localhost") { return true }
    if SocketAddress(literal: host, port: 0) != nil { return true }
    return !hostName.isEmpty && (host == hostName.lowercased() || host == "\(hostName.lowercased()).local")
  }

  /// As browsers tell (Fetch Metadata; RFC 6454 7). Who follows a link to here sees it in a window of its own.
  private static func comesFromAnotherSite(_ head: RequestHead) -> Bool {
    let fields = head.fields
    let isNavigation = fields.values(named: "Sec-Fetch-Mode").first == "navigate"
    if let site = fields.values(named: "Sec-Fetch-Site").first, site != "same-origin", site != "none" { return !isNavigation }
    guard let origin = fields.first(of: .origin) else { return false }
    return origin != "http://\(fields.first(of: .host) ?? "")"
  }
}
