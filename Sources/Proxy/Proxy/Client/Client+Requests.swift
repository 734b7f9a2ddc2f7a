internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// The step that follows a request's head.
enum RequestDecision {
  case forward(OutgoingRequest)
  case openTunnel(Route)
  case answer(LocalReply)
  /// We answer with the page of metrics, whose numbers must be gathered first.
  case gatherMetrics
  /// The live page answers, on the client's connection.
  case visitLivePage
}

/// The step that follows TLS to the listener itself, without a CONNECT.
enum DirectTLSDecision {
  /// It is a tunnel to the host in its hello.
  case open(Route, Interception)
  /// It is meant for the origin that the client's address leads to.
  case openOrigin(Route)
  case refuse(ExchangeRecord.Failure.Kind, String)
}

/// Decides about each request of a client, by its head: whether it goes on, and where to. Writes nothing to the client.
///
/// The record gets the reason where a request is refused.
extension Client {
  /// - Parameters:
  ///   - http2: the head as it came, if it came in HTTP/2.
  ///   - framing: of the request's content.
  func decide(
    about head: RequestHead, http2: HTTP2RequestHead? = nil, framing: BodyFraming, in record: inout ExchangeRecord
  ) -> RequestDecision {
    let form = Form(http2: http2, framing: framing)
    if let tunnel {
      return decide(about: head, form, inside: tunnel, in: &record)
    }
    if form.asksForUDP(head) {
      return reject(&record, status: 501, kind: .unsupportedCommand, "UDP through the proxy (RFC 9298) is not supported")
    }
    switch head.target {
    case .absolute(let target) where target.scheme == .http:
      guard !isOurs(host: target.host, port: target.port) else {
        return localPage(for: head, in: &record)
      }
      let route = Route(host: target.host, port: target.port, reach: reach)
      if let refusal = refusal(of: head, toward: route, in: &record) { return refusal }
      return forward(head, form, to: route, in: &record)
    case .absolute(let target) where target.scheme == .https:
      // Some clients leave TLS to the proxy instead of sending CONNECT, whose rules hold.
      guard !isOurs(host: target.host, port: target.port) else { return tunnelToUs(&record) }
      let route = Route(host: target.host, port: target.port, reach: reach).secured(serverName: target.host)
      if let refusal = refusal(of: head, toward: route, in: &record) { return refusal }
      record.comment = "the client sent an https:// URL to the proxy in clear; tapeline spoke TLS to \(route.authority)"
      return forward(head, form, to: route, in: &record)
    case .absolute:
      return reject(&record, status: 400, kind: .unsupportedScheme, "a proxy takes http:// and https:// URLs")
    case .authority(let host, let port):
      guard !isOurs(host: host, port: port) else { return tunnelToUs(&record) }
      if let loop = loop(of: head, in: &record) { return loop }
      let route = Route(host: host, port: port, reach: reach)
      if let refusal = refusal(of: head, toward: route, in: &record) { return refusal }
      return .openTunnel(route)
    case .origin:
      return localPage(for: head, in: &record)
    case .asterisk:
      return reject(
        &record, status: 400, kind: .unsupportedTarget, "the target * is for a server; a proxy needs an absolute URL")
    }
  }

  /// The request came through a tunnel: it goes where the tunnel leads, whatever host it names, as it would have without us.
  private func decide(
    about head: RequestHead, _ form: Form, inside tunnel: InterceptedTunnel, in record: inout ExchangeRecord
  ) -> RequestDecision {
    if case .origin(let origin) = entrance { return decide(about: head, form, to: origin, inside: tunnel, in: &record) }
    switch head.target {
    case .absolute(let target) where target.scheme != tunnel.implied.scheme:
      return reject(
        &record, status: 400, kind: .unsupportedScheme,
        "this connection leads to an \(tunnel.implied.scheme.text) server, which has no \(target.scheme.text) URLs")
    case .origin, .asterisk, .absolute:
      if let refusal = refusal(of: head, inside: tunnel, in: &record) { return refusal }
      return forward(head, form, to: tunnel.route, on: tunnel.takePrepared(), in: &record)
    case .authority:
      return reject(
        &record, status: 501, kind: .nestedTunnel, "a tunnel inside a tunnel that is decrypted is not supported")
    }
  }

  /// The request came to an address that leads to one origin.
  private func decide(
    about head: RequestHead, _ form: Form, to origin: ReverseOrigin, inside tunnel: InterceptedTunnel,
    in record: inout ExchangeRecord
  ) -> RequestDecision {
    if case .authority = head.target {
      return reject(
        &record, status: 501, kind: .unsupportedTarget, "this address leads to \(origin) and opens no tunnels (--reverse)")
    }
    guard origin.answers(to: head.namedHost, hostName: shard.configuration.hostName) else {
      return reject(
        &record, status: 421, kind: .hostDenied,
        "this address leads to \(origin), and answers to that host's name and to this machine's only; --reverse-name names others"
      )
    }
    if let refusal = shard.configuration.access.refusal(toward: tunnel.route) {
      return reject(&record, refusal, toward: tunnel.route)
    }
    return forward(head, form, to: tunnel.route, naming: origin.namedHost, on: tunnel.takePrepared(), in: &record)
  }

  /// How a request came, its head aside.
  private struct Form {
    let http2: HTTP2RequestHead?
    let framing: BodyFraming

    /// Whether the client asks for UDP to be relayed (RFC 9298 3.2 and 3.4).
    func asksForUDP(_ head: RequestHead) -> Bool {
      http2?.protocol == "connect-udp" || http2 == nil && head.fields.listContains(token: "connect-udp", in: .upgrade)
    }

    /// Whether it may become a stream of bytes.
    func allowsUpgrade(_ head: RequestHead) -> Bool { http2?.protocol != nil || framing == .none && head.asksForUpgrade }
  }

  private func forward(
    _ head: RequestHead, _ form: Form, to route: Route, naming host: String? = nil, on prepared: PreparedConnection? = nil,
    in record: inout ExchangeRecord
  ) -> RequestDecision {
    if let loop = loop(of: head, in: &record) { return loop }
    if let reply = FinalRecipient.reply(to: head) { return .answer(reply) }
    return .forward(
      OutgoingRequest(
        head: head, http2: form.http2, framing: form.framing, route: route, host: host,
        allowsUpgrade: form.allowsUpgrade(head), prepared: prepared, connections: connections, priorKnowledge: hasPriorKnowledge))
  }

  // MARK: Refusals

  /// Answers a request that is well formed, but is not forwarded.
  private func reject(
    _ record: inout ExchangeRecord, status: Int, kind: ExchangeRecord.Failure.Kind,
    proxyError: ProxyErrorType = .requestError, _ message: String
  ) -> RequestDecision {
    record.failure = ExchangeRecord.Failure(origin: .client, phase: .request, kind: kind, message: message)
    return .answer(LocalReply(status: status, text: "tapeline: \(message)", proxyError: proxyError))
  }

  /// The answer to a client that wants bytes to be sent to the proxy itself.
  private func tunnelToUs(_ record: inout ExchangeRecord) -> RequestDecision {
    reject(
      &record, status: 508, kind: .transport(.loopDetected), proxyError: .loopDetected,
      "the tunnel would lead back to this proxy")
  }

  /// The answer to a request that has been here before; `nil` when it has not.
  private func loop(of head: RequestHead, in record: inout ExchangeRecord) -> RequestDecision? {
    let pseudonym = shard.configuration.pseudonym
    guard pseudonym.isNamed(in: head.fields) else { return nil }
    return reject(
      &record, status: 508, kind: .transport(.loopDetected), proxyError: .loopDetected,
      "the request has been here before: its Via names \(pseudonym.text) (RFC 9110 7.6.3)")
  }

  /// The answer to a client that may not use the proxy, or not go where `route` leads; `nil` when it may.
  private func refusal(of head: RequestHead, toward route: Route, in record: inout ExchangeRecord) -> RequestDecision? {
    let access = shard.configuration.access
    switch access.admission(
      of: head.fields.values(of: .proxyAuthorization), from: host, at: record.marks[.requestHeadEnd] ?? .now)
    {
    case .admitted: break
    case .unknown: return demandCredentials(&record, wereGiven: head.fields.contains(.proxyAuthorization))
    case .throttled: return refuseAttempt(&record)
    }
    return access.refusal(toward: route).map { reject(&record, $0, toward: route) }
  }

  private func reject(_ record: inout ExchangeRecord, _ refusal: AccessPolicy.Refusal, toward route: Route) -> RequestDecision {
    reject(
      &record, status: 403, kind: refusal.kind, proxyError: refusal.proxyErrorType, refusal.message(toward: route))
  }

  /// RFC 9110 15.5.8. A client that gives no credentials before it is asked has not failed: most are asked first.
  private func demandCredentials(_ record: inout ExchangeRecord, wereGiven: Bool) -> RequestDecision {
    if wereGiven {
      record.failure = ExchangeRecord.Failure(
        origin: .client, phase: .request, kind: .proxyAuthenticationRequired, message: "the proxy's name and password were wrong")
    } else {
      record.comment = "tapeline asked for a name and a password (--auth)"
    }
    var reply = LocalReply(
      status: 407, text: "tapeline: this proxy asks for a name and a password (--auth).", proxyError: .requestDenied)
    reply.fields.append(("Proxy-Authenticate", ProxyCredentials.challenge))
    return .answer(reply)
  }

  /// RFC 6585 4.
  private func refuseAttempt(_ record: inout ExchangeRecord) -> RequestDecision {
    record.failure = ExchangeRecord.Failure(
      origin: .client, phase: .request, kind: .tooManyAttempts,
      message: "too many wrong passwords came from \(host): this one was not checked")
    var reply = LocalReply(
      status: 429, text: "tapeline: too many wrong passwords came from your address; try again in a second.",
      proxyError: .requestDenied)
    reply.fields.append(("Retry-After", "1"))
    return .answer(reply)
  }

  /// Notes in the record if the request names another host than the tunnel's. The answer when a rule forbids that host.
  private func refusal(
    of head: RequestHead, inside tunnel: InterceptedTunnel, in record: inout ExchangeRecord
  ) -> RequestDecision? {
    let named = tunnel.otherDestination(namedBy: head)
    if let named, case .network = entrance {
      // It has connected to an address of the host that it names.
      record.implied = ImpliedOrigin(scheme: tunnel.implied.scheme, authority: named.authority)
    } else if let named {
      let note = "the request names \(named.authority), and went where the tunnel leads, to \(tunnel.implied.authority)"
      record.comment = [record.comment, note].compactMap(\.self).joined(separator: "; ")
    }
    // The host in the CONNECT has been checked already.
    let claimed = tunnel.destination.host == tunnel.route.host ? nil : tunnel.destination
    for place in [claimed, named] {
      guard let place, let refusal = shard.configuration.access.refusal(toward: place) else { continue }
      return reject(&record, refusal, toward: place)
    }
    return nil
  }

  // MARK: The proxy itself

  private func localPage(for head: RequestHead, in record: inout ExchangeRecord) -> RequestDecision {
    if let refusal = LocalAudience.refusal(of: head, hostName: shard.configuration.hostName) { return .answer(refusal) }
    record.isForProxy = LocalPages.hasPage(for: head)
    let refusalOfTraffic = LocalAudience.refusal(
      ofTrafficTo: head, isOnThisMachine: isOnThisMachine, shard.configuration.access, address: host,
      at: record.marks[.requestHeadEnd] ?? .now)
    let livePage = shard.configuration.livePage
    let hasPassword = shard.configuration.access.credentials != nil
    let pages = LocalPages(
      authority: authority(namedBy: head), certificate: shard.configuration.interception?.certificates.authorityCertificate,
      activity: refusalOfTraffic == nil ? shard.metrics.activity : nil,
      livePage: livePage == nil ? .none : hasPassword ? .open : .keyed)
    return switch pages.page(for: head) {
    case .reply(let reply): .answer(reply)
    case .metrics: refusalOfTraffic.map { .answer($0) } ?? .gatherMetrics
    case .live:
      (refusalOfTraffic
        ?? (hasPassword ? nil : livePage.flatMap { LocalAudience.refusal(ofLivePageTo: head, isOfThisUser: isOfThisUser, $0) }))
        .map { .answer($0) } ?? .visitLivePage
    }
  }

  /// The host and port under which the client has found us, for the client's settings.
  private func authority(namedBy head: RequestHead) -> String {
    if case .absolute(let target) = head.target { return target.authority }
    return head.fields.first(of: .host) ?? shard.addresses.first?.description ?? ""
  }

  /// Whether the target is an address of the proxy, named as such. Other names of the proxy are noticed on connecting to them.
  func isOurs(host: String, port: UInt16) -> Bool {
    guard shard.addresses.contains(where: { $0.port == port }) else { return false }
    if LocalAudience.isMachineName(host, shard.configuration.hostName) {
      return shard.addresses.contains { $0.port == port && !$0.isLoopback }
    }
    let literal = Host(host).isLocalhost ? "127.0.0.1" : host
    guard let address = SocketAddress(literal: literal, port: port) else { return false }
    return address == address.reached && shard.addresses.contains { $0.covers(address) }
  }

  // MARK: TLS without a CONNECT

  func decide(about hello: ClientHello) -> DirectTLSDecision {
    if case .origin(let origin) = entrance { return decide(about: hello, to: origin) }
    guard let interception = shard.configuration.interception else {
      return .refuse(.tlsToProxy, "the client spoke TLS to the proxy, which expects plain HTTP: its URL begins with http://")
    }
    guard let name = hello.serverName, hello.namesHost, !meansUs(name) else {
      return .refuse(.noServerName, "TLS to the proxy itself named no other host to go to")
    }
    let access = shard.configuration.access
    guard access.credentials == nil else {
      return .refuse(
        .proxyAuthenticationRequired, "this proxy needs a name and a password, which TLS without CONNECT cannot give")
    }
    let route = Route(host: name, port: 443, reach: reach)
    if let refusal = access.refusal(toward: route) { return .refuse(refusal.kind, refusal.message(toward: route)) }
    return .open(route, interception)
  }

  private func decide(about hello: ClientHello, to origin: ReverseOrigin) -> DirectTLSDecision {
    if let refusal = shard.configuration.access.refusal(toward: origin.place) {
      return .refuse(refusal.kind, refusal.message(toward: origin.place))
    }
    if origin.scheme == .https { return .openOrigin(origin.place) }
    guard let interception = shard.configuration.interception else {
      return .refuse(
        .tlsToProxy, "the client spoke TLS to the address of \(origin), and tapeline shows no certificates (--https)")
    }
    return .open(origin.place, interception)
  }

  /// Whether a name leads to this machine: TLS for such a name is meant for the proxy, not for a server beside it.
  private func meansUs(_ name: String) -> Bool {
    Host(name).isLocalhost || isOurs(host: name, port: 443)
  }
}

extension RequestHead {
  /// Whether the client asks to switch to another protocol (RFC 9110 7.8) that we relay. We do not relay HTTP/2: an origin may go
  /// on with HTTP/1.1 instead (RFC 9113 3.1), and then its exchanges are seen.
  fileprivate var asksForUpgrade: Bool {
    version >= .http11 && fields.contains(.upgrade) && fields.listContains(token: "upgrade", in: .connection)
      && !fields.listContains(token: "h2c", in: .upgrade)
  }

  /// The CONNECT that a client would have sent that speaks TLS to the proxy, or SOCKS; `nil` when the name that it gives is not a
  /// host.
  static func connect(to route: Route) -> RequestHead? {
    do throws(HTTPParseError) {
      return try RequestHead(method: .connect, target: Authority.text(host: route.host, port: route.port))
    } catch {
      return nil
    }
  }
}
