internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// Reads requests, and decides about each.
extension ClientConnection {
  func parse(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    var offset = 0
    do throws(HTTPParseError) {
      while let event = try http.receive(bytes, from: &offset) {
        switch event {
        case .requestHead(let head):
          begin(head, at: instant)
        case .body(let range):
          if case .exchanging(let exchange) = phase { exchange.receiveBody(bytes.extracting(range), at: instant) }
        case .trailers(let trailers):
          if case .exchanging(let exchange) = phase { exchange.receiveTrailers(trailers) }
        case .end:
          return endRequest(rest: bytes.extracting(droppingFirst: offset), at: instant)
        case .responseHead, .informational:
          preconditionFailure("a connection in the server role read a response")
        }
        switch phase {
        case .exchanging, .tunnelling, .gathering, .answered: continue
        case .awaitingRequest, .greeting, .securing, .upgraded, .closed: return
        }
      }
      // The empty line that some old clients send after a body (RFC 9112 2.2) does not begin a request.
      if case .awaitingRequest = phase, requestBegan == nil, !http.isIdle { noteFirstByte(at: instant) }
    } catch {
      refuse(error, at: instant)
    }
  }

  func noteFirstByte(at instant: MonotonicInstant) {
    requestBegan = instant
    engage(.exchange, at: instant)
    wait(shard.configuration.headerTimeout)
  }

  private func begin(_ head: RequestHead, at instant: MonotonicInstant) {
    wait(nil)
    engage(.exchange, at: instant)
    let record = newRecord(head, at: instant)
    exchanges += 1
    requestBegan = nil
    if let tunnel {
      return begin(record, inside: tunnel)
    }
    switch head.target {
    case .absolute(let target) where target.scheme == .http:
      guard !isOurs(host: target.host, port: target.port) else {
        return answerLocally(record)
      }
      let route = Route(host: target.host, port: target.port, reach: reach)
      guard admit(record, toward: route) else { return }
      forward(record, to: route)
    case .absolute:
      reject(
        record, status: 400, kind: .unsupportedScheme,
        "a proxy takes http:// URLs; https:// goes through CONNECT (RFC 9110 9.3.6)")
    case .authority(let host, let port):
      guard !isOurs(host: host, port: port) else {
        return reject(
          record, status: 508, kind: .transport(.loopDetected), proxyError: .loopDetected,
          "the tunnel would lead back to this proxy")
      }
      guard isNew(record, head) else { return }
      let route = Route(host: host, port: port, reach: reach)
      guard admit(record, toward: route) else { return }
      openTunnel(record, to: route)
    case .origin:
      answerLocally(record)
    case .asterisk:
      reject(record, status: 400, kind: .unsupportedTarget, "the target * is for a server; a proxy needs an absolute URL")
    }
  }

  /// The request came through a tunnel: it goes where the tunnel leads, whatever host it names, as it would have without us.
  private func begin(_ record: ExchangeRecord, inside tunnel: InterceptedTunnel) {
    switch record.request?.target {
    case .origin, .asterisk:
      guard let record = judged(record, inside: tunnel) else { return }
      forward(record, to: tunnel.route, on: tunnel.takePrepared())
    case .absolute(let target) where target.scheme == tunnel.implied.scheme:
      guard let record = judged(record, inside: tunnel) else { return }
      forward(record, to: tunnel.route, on: tunnel.takePrepared())
    case .absolute(let target):
      reject(
        record, status: 400, kind: .unsupportedScheme,
        "this connection leads to an \(tunnel.implied.scheme.text) server, which has no \(target.scheme.text) URLs")
    case .authority:
      reject(record, status: 501, kind: .nestedTunnel, "a tunnel inside a tunnel that is decrypted is not supported")
    case nil:
      preconditionFailure("a request that has begun has a head")
    }
  }

  /// The record, with a note if the request names another host than the tunnel's. `nil` when a rule forbids that host: the
  /// request has been answered.
  private func judged(_ record: ExchangeRecord, inside tunnel: InterceptedTunnel) -> ExchangeRecord? {
    guard let head = record.request else { preconditionFailure("a request that has begun has a head") }
    let named = tunnel.otherDestination(namedBy: head)
    var record = record
    if let named {
      let note = "the request names \(named.authority), and went where the tunnel leads, to \(tunnel.implied.authority)"
      record.comment = [record.comment, note].compactMap(\.self).joined(separator: "; ")
    }
    // The host in the CONNECT has been checked already.
    let claimed = tunnel.destination.host == tunnel.route.host ? nil : tunnel.destination
    for place in [claimed, named] {
      guard let place, let refusal = shard.configuration.access.refusal(toward: place) else { continue }
      reject(record, status: 403, kind: refusal.kind, proxyError: refusal.proxyErrorType, refusal.message(toward: place))
      return nil
    }
    return record
  }

  private func forward(_ record: consuming ExchangeRecord, to route: Route, on prepared: PreparedConnection? = nil) {
    guard let head = record.request else { preconditionFailure("a request that is forwarded has a head") }
    guard isNew(record, head) else { return }
    guard head.expectation != .unknown else {
      return reject(
        record, status: 417, kind: .unknownExpectation, "the only expectation known is 100-continue (RFC 9110 10.1.1)")
    }
    if let reply = FinalRecipient.reply(to: head) {
      return answer(record, reply, persist: canGoOn(after: record))
    }
    let request = OutgoingRequest(
      head: head, framing: http.framing, route: route, allowsUpgrade: http.framing == .none && head.asksForUpgrade,
      prepared: prepared, connections: connections)
    let exchange = ForwardedExchange(
      connection: self, shard: shard, record: record, request: request, persists: http.mayPersist && !shard.isShuttingDown)
    phase = .exchanging(exchange)
    exchange.begin()
    if http.framing != .none { waitForClient(in: exchange) }
  }

  /// Whether the request is here for the first time. If not, this has answered it.
  private func isNew(_ record: ExchangeRecord, _ head: RequestHead) -> Bool {
    let pseudonym = shard.configuration.pseudonym
    guard pseudonym.isNamed(in: head.fields) else { return true }
    reject(
      record, status: 508, kind: .transport(.loopDetected), proxyError: .loopDetected,
      "the request has been here before: its Via names \(pseudonym.text) (RFC 9110 7.6.3)")
    return false
  }

  private func endRequest(rest: Span<UInt8>, at instant: MonotonicInstant) {
    keep(rest)
    switch phase {
    case .exchanging(let exchange):
      exchange.endRequest(at: instant)
    case .answered:
      phase = .awaitingRequest
      proceed()
    case .gathering, .tunnelling, .awaitingRequest, .greeting, .securing, .upgraded, .closed:
      break
    }
  }

  /// Keeps bytes that came after the current request, and stops reading: a client that pipelines is answered in order.
  func keep(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    unsafe bytes.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
    link.pauseReading()
  }

  /// Takes out the bytes that were kept after the request.
  func takeInput() -> [UInt8] {
    defer { input = [] }
    return input
  }

  /// Whether the target is an address of the proxy, named as such. Other names of the proxy are noticed on connecting to them.
  func isOurs(host: String, port: UInt16) -> Bool {
    guard shard.addresses.contains(where: { $0.port == port }) else { return false }
    if LocalAudience.isMachineName(host, shard.configuration.hostName) {
      return shard.addresses.contains { $0.port == port && !$0.isLoopback }
    }
    guard let address = SocketAddress(literal: host == "localhost" ? "127.0.0.1" : host, port: port) else { return false }
    return address == address.reached && shard.addresses.contains { $0.covers(address) }
  }
}
