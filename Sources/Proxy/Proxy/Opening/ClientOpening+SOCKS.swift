internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime
internal import TapelineTransport

/// Clients that name their destination by SOCKS. The connection then goes on as after a CONNECT.
extension ClientOpening {
  /// The version of SOCKS that a client speaks whose first byte is this one. Where the destination is known, none is spoken.
  func socksVersion(begunBy byte: UInt8) -> SOCKSVersion? {
    switch client.entrance {
    case .proxy: SOCKSNegotiation.version(begunBy: byte)
    case .origin, .network: nil
    }
  }

  func beginSOCKS(_ version: SOCKSVersion) {
    client.door = .socks(version)
    socks = SOCKSNegotiation(asksForPassword: shard.configuration.access.credentials != nil)
  }

  func receiveSOCKS(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    socks?.receive(bytes)
    while let step = socks?.next(), carryOut(step, at: instant) {}
  }

  /// Returns whether another step may follow.
  private func carryOut(_ step: SOCKSNegotiation.Step, at instant: MonotonicInstant) -> Bool {
    switch step {
    case .wait:
      return false
    case .answer(let bytes):
      link.write(bytes)
      return true
    case .judge(let password):
      let fault = client.fault(of: password, at: instant)
      guard let next = fault.map({ socks?.turnDown($0) }) ?? socks?.admit() else { return false }
      return carryOut(next, at: instant)
    case .connect(let destination):
      connect(to: destination, at: instant)
      return false
    case .refuse(let refusal):
      let draft = client.newRecord(nil, began: machine.began, at: instant)
      refuse(draft, ExchangeRecord.Failure(refusal.fault), refusal.reply, answer: refusal.answer)
      return false
    }
  }

  private func connect(to destination: SOCKSDestination, at instant: MonotonicInstant) {
    let rest = socks?.takeRest() ?? []
    machine.hold(rest.span)
    client.door = .socks(destination.version)
    let route = Route(host: destination.host, port: destination.port, reach: client.reach)
    guard let head = RequestHead.connect(to: route) else {
      let draft = client.newRecord(nil, began: machine.began, at: instant)
      let reply = SOCKSReply.generalFailure
      return refuse(
        draft, ExchangeRecord.Failure(SOCKSFault.malformed("the host that it asks for is not one")), reply,
        answer: reply.bytes(to: destination.version))
    }
    let draft = client.record(of: head, began: machine.began, at: instant)
    if let failure = client.refusal(ofConnectionTo: route) {
      let reply = SOCKSReply.notAllowed
      return refuse(draft, failure, reply, answer: reply.bytes(to: destination.version))
    }
    socks = nil
    wait(nil)
    openTunnel(ForwardedTunnel(connection: self, shard: shard, draft: draft, target: route))
  }

  private func refuse(_ draft: RecordDraft, _ failure: ExchangeRecord.Failure, _ reply: SOCKSReply?, answer: [UInt8]) {
    socks = nil
    draft.record.failure = failure
    draft.record.socksReply = reply
    link.write(answer)
    shard.recordLocal(draft, at: .now)
    end()
  }
}

extension Client {
  /// Why its name and password are not accepted; `nil` if they are.
  fileprivate func fault(of password: SOCKSPassword, at instant: MonotonicInstant) -> SOCKSFault? {
    switch shard.configuration.access.admission(of: [password.authorization], from: host, at: instant) {
    case .admitted: nil
    case .unknown: .wrongPassword
    case .throttled: .tooManyAttempts
    }
  }

  /// Why it may not go there; `nil` if it may.
  ///
  /// - Parameter name: that it looked up to get the route's address, if that is known.
  func refusal(ofConnectionTo route: Route, lookedUpAs name: String? = nil) -> ExchangeRecord.Failure? {
    if isOurs(host: route.host, port: route.port) {
      return ExchangeRecord.Failure(
        origin: .client, phase: .request, kind: .transport(.loopDetected), message: "the tunnel would lead back to this proxy")
    }
    return shard.configuration.access.refusal(toward: route, lookedUpAs: name).map { refusal in
      ExchangeRecord.Failure(
        origin: .client, phase: .request, kind: refusal.kind, message: refusal.message(toward: route))
    }
  }
}
