internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// A client's first bytes to the listener itself, if they are no request in HTTP/1. TLS is treated as a tunnel to the host in
/// its hello.
extension ClientOpening {
  /// Whether bytes that come first are not an HTTP/1 request.
  func isGreeting(_ bytes: Span<UInt8>) -> Bool {
    if bytes[0] == Greeting.tlsByte || socksVersion(begunBy: bytes[0]) != nil { return true }
    guard shard.configuration.speaksHTTP2 else { return false }
    return switch HTTP2Preface.judge(bytes) {
    case .incomplete, .complete: true
    case .other: false
    }
  }

  func greet(with bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if !HTTP2Preface.mayBegin(with: bytes[0]) { client.engage(.exchange, at: instant) }
    wait(shard.configuration.headerTimeout)
    machine.beginGreeting(at: instant)
    if let version = socksVersion(begunBy: bytes[0]) { beginSOCKS(version) }
    receiveGreeting(bytes, at: instant)
  }

  func receiveGreeting(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard socks == nil else { return receiveSOCKS(bytes, at: instant) }
    let gathered = machine.gatherGreeting(bytes)
    guard gathered[0] == Greeting.tlsByte else { return receivePreface(gathered, at: instant) }
    switch ClientHello.peek(gathered.span) {
    case .needsMore:
      break
    case .hello(let hello):
      accept(hello, at: instant)
    case .notTLS, .malformed:
      // The parser says what is wrong with them.
      greetingDidFail(at: instant)
    }
  }

  private func accept(_ hello: ClientHello, at instant: MonotonicInstant) {
    switch client.decide(about: hello) {
    case .refuse(let kind, let message): refuse(hello, kind: kind, message)
    case .open(let route, let interception): accept(hello, toward: route, interception, at: instant)
    case .openOrigin(let route): openTunnel(toOrigin: route, at: instant)
    }
  }

  /// Opens the connection to the one origin first, so that the client can be answered the protocol that the origin chooses.
  private func openTunnel(toOrigin route: Route, at instant: MonotonicInstant) {
    let began = machine.began
    let draft = client.newRecord(RequestHead.connect(to: route), began: began, at: instant)
    wait(nil)
    openTunnel(
      ForwardedTunnel(
        connection: self, shard: shard, draft: draft, target: route, greeting: machine.takeInput(), began: began,
        isDecided: false))
  }

  private func accept(_ hello: ClientHello, toward route: Route, _ interception: Interception, at instant: MonotonicInstant) {
    let began = machine.began
    let opening = client.newRecord(RequestHead.connect(to: route), began: began, at: instant)
    if case .proxy = client.entrance { opening.record.comment = "TLS came directly, without CONNECT" }
    switch decision(by: interception, for: hello, toward: route.host, at: instant) {
    case .intercept(let program):
      wait(shard.configuration.protocolPatience)
      openTunnel(
        ForwardedTunnel(
          connection: self, shard: shard, draft: opening, target: route, greeting: machine.takeInput(), began: began,
          isDecided: true, intercepting: (hello, program)))
    case .relay(let reason, let comment):
      opening.record.comment = comment ?? opening.record.comment
      opening.record.unread = reason
      wait(nil)
      openTunnel(
        ForwardedTunnel(
          connection: self, shard: shard, draft: opening, target: route, greeting: machine.takeInput(), began: began,
          isDecided: true))
    }
  }

  private func refuse(_ hello: ClientHello, kind: ExchangeRecord.Failure.Kind, _ message: String) {
    let alert = TLSAlert.unrecognizedName
    let now = MonotonicInstant.now
    let draft = client.newRecord(nil, began: machine.began, at: now)
    draft.record.failure = ExchangeRecord.Failure(origin: .client, phase: .tls, kind: kind, message: message)
    var details = TLSDetails(hello)
    details.alert = TLSDetails.Alert(name: alert.name, origin: "local")
    draft.record.clientTLS = details
    shard.recordLocal(draft, at: now)
    end(with: alert)
  }

  /// Judges the first bytes of a client that may speak HTTP/2.
  private func receivePreface(_ gathered: [UInt8], at instant: MonotonicInstant) {
    switch HTTP2Preface.judge(gathered.span) {
    case .incomplete:
      break
    case .complete:
      // As in a tunnel, the origin is spoken to likewise; as proxies, we forward to origins of any version.
      if case .origin = client.entrance { client.hasPriorKnowledge = true }
      continueInHTTP2(with: machine.takeInput(), at: instant)
    case .other:
      greetingDidFail(at: instant)
    }
  }

  /// The first bytes are a request after all, or nothing that we know.
  private func greetingDidFail(at instant: MonotonicInstant) {
    let began = machine.began
    continueInHTTP1(with: machine.takeInput().span, at: instant, since: began)
  }
}
