internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// Decides who sees the local pages: clients that asked for this machine, but not those that another site sent here.
enum LocalAudience {
  /// Why the request is refused; `nil` when it is not.
  ///
  /// - Parameter hostName: this machine's own name.
  static func refusal(of head: RequestHead, hostName: String) -> LocalReply? {
    guard let host = head.namedHost, isThisMachine(host, hostName: hostName) else {
      // Somebody may point a name of theirs here, which must not make us theirs: DNS rebinding.
      return LocalReply(
        status: 421, text: "tapeline: this proxy's own pages answer to its address, localhost or the machine's name only.",
        proxyError: nil)
    }
    guard !comesFromAnotherSite(head) else {
      return LocalReply(status: 403, text: "tapeline: pages of other sites may not read this page.", proxyError: nil)
    }
    return nil
  }

  /// Why the request does not learn of the traffic; `nil` when it does: metrics and the live page are for this machine, or for
  /// clients that know the password.
  ///
  /// - Parameter isOnThisMachine: whether the client is.
  static func refusal(
    ofTrafficTo head: RequestHead, isOnThisMachine: Bool, _ access: AccessPolicy, address: String, at instant: MonotonicInstant
  ) -> LocalReply? {
    guard access.credentials == nil else {
      // A client that comes through the proxy itself gives the same credentials in answer to its 407.
      let own = head.fields.values(of: .authorization)
      let given = own.isEmpty ? head.fields.values(of: .proxyAuthorization) : own
      switch access.admission(of: given, from: address, at: instant) {
      case .admitted: return nil
      case .unknown: break
      case .throttled:
        var reply = LocalReply(
          status: 429, text: "tapeline: too many wrong passwords came from your address; try again in a second.", proxyError: nil)
        reply.fields.append(("Retry-After", "1"))
        return reply
      }
      var reply = LocalReply(status: 401, text: "tapeline: this page needs the proxy's name and password.", proxyError: nil)
      reply.fields.append(("WWW-Authenticate", ProxyCredentials.challenge))
      return reply
    }
    guard isOnThisMachine else {
      return LocalReply(
        status: 403, text: "tapeline: other machines can see this page only if the proxy has a name and a password (--auth).",
        proxyError: nil)
    }
    return nil
  }

  /// Why the request does not get the live page; `nil` when it does: the page shows what the log contains, which is for its owner
  /// alone. Clients that have given the password are not asked.
  static func refusal(ofLivePageTo head: RequestHead, isOfThisUser: Bool, _ door: LivePageDoor) -> LocalReply? {
    guard isOfThisUser else {
      return LocalReply(
        status: 403,
        text:
          "tapeline: the live page shows what another user records; open it as that user on that machine, or give the proxy a password (--auth).",
        proxyError: nil)
    }
    guard door.opens(to: head) else {
      return LocalReply(
        status: 403, text: "tapeline: the address of the live page has a key; tapeline status prints that address.",
        proxyError: nil)
    }
    return nil
  }

  /// The machine's own name, or that name as its neighbours look it up (RFC 6762 3).
  static func isMachineName(_ host: String, _ hostName: String) -> Bool {
    let host = host.lowercased()
    return !hostName.isEmpty && (host == hostName.lowercased() || host == "\(hostName.lowercased()).local")
  }

  /// Whether a host that a client names is this machine: by an address, by `localhost`, or by the machine's own name.
  static func isThisMachine(_ host: String, hostName: String) -> Bool {
    // With a dot at its end, the name is not ours: only a page of another site would write it so.
    Host(host).isLocalhost && !host.hasSuffix(".") || SocketAddress(literal: host, port: 0) != nil
      || isMachineName(host, hostName)
  }

  /// As browsers tell (Fetch Metadata; RFC 6454 7). A user who follows a link to here sees the page in its own window, not inside
  /// another page.
  private static func comesFromAnotherSite(_ head: RequestHead) -> Bool {
    let fields = head.fields
    // Chrome's own panel. No page can have this origin.
    if fields.first(of: .origin) == "devtools://devtools" { return LocalPages.path(of: head) != LocalVisit.devTools }
    let isNavigation =
      fields.values(named: "Sec-Fetch-Mode").first == "navigate"
      && fields.values(named: "Sec-Fetch-Dest").allSatisfy { $0 == "document" }
    if let site = fields.values(named: "Sec-Fetch-Site").first, site != "same-origin", site != "none" { return !isNavigation }
    guard let origin = fields.first(of: .origin) else { return false }
    return origin != "http://\(fields.first(of: .host) ?? "")"
  }
}
