internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// A CONNECT tunnel: bytes both ways, with back-pressure and half-close in each direction (RFC 9110 9.3.6).
///
/// Where interception is on, the client's first bytes decide whether the tunnel is relayed as it is, or the connection is taken
/// over and its requests are read. In a relayed tunnel, we look at the two hellos of TLS and at nothing else.
///
/// Owns the task that reaches the origin. Loop-bound.
final class ForwardedTunnel: TaskOwner {
  private var connection: any TunnelClient
  private let shard: LoopShard
  private let target: Route
  /// Whether it is known that the tunnel is relayed.
  private let isDecided: Bool
  private let draft: RecordDraft
  /// `nil` before `begin`, and again when the task has ended.
  private var task: SessionTask?
  /// When the task was begun.
  private var begun: MonotonicInstant?
  /// When the first byte went either way.
  private var firstByte: MonotonicInstant?
  /// Whether the origin is reached.
  private var isOpen = false
  /// Whether the task was ended because the client is done with it: that is no failure.
  private var isGivenUp = false
  private var progress: TunnelProgress
  private var observer: TLSRecordObserver? = TLSRecordObserver()
  /// When the first byte came from the client.
  private var clientBegan: MonotonicInstant?
  /// Bytes of the server that came before the client's, as from a server of HTTP/2, until it is clear who reads them.
  private var serverGreeting: [UInt8] = []
  /// The client whose hello is here before the tunnel, and that is to be intercepted.
  private var direct: (hello: ClientHello, client: TLSClient)?
  /// The client's connection when the tunnel was asked for.
  private var clientStart: TCPSample
  /// Present while the origin is reached and the client's connection is not accepted yet.
  private var early: EarlyOutput?
  /// Our own TLS with the origin, before the client's.
  private var failedAttempt: FailedAttempt?
  private var bytesToServer: UInt64 = 0
  private var bytesToClient: UInt64 = 0

  /// The tunnel that a CONNECT asks for.
  init(connection: any TunnelClient, shard: LoopShard, draft: RecordDraft, target: Route) {
    self.connection = connection
    self.shard = shard
    self.draft = draft
    clientStart = connection.beginTCPHistory(at: draft.lend { $0.started } ?? .now)
    self.target = target
    isDecided = false
    progress = TunnelProgress()
  }

  /// A tunnel that nobody asked for, for a client whose first bytes, from `began` on, are here already.
  ///
  /// - Parameter isDecided: whether the bytes have been judged; if not, they are when the tunnel stands.
  /// - Parameter direct: the client, if it is to be intercepted: as soon as the origin is reached, so that the origin chooses the
  ///   protocol, or when that fails or takes too long.
  init(
    connection: any TunnelClient, shard: LoopShard, draft: RecordDraft, target: Route, greeting: [UInt8],
    began: MonotonicInstant?, isDecided: Bool, intercepting direct: (hello: ClientHello, client: TLSClient)? = nil
  ) {
    self.direct = direct
    self.connection = connection
    self.shard = shard
    self.draft = draft
    clientStart = connection.beginTCPHistory(at: draft.lend { $0.started } ?? .now)
    self.target = target
    self.isDecided = isDecided
    progress = TunnelProgress(greeting: greeting)
    clientBegan = began
  }

  /// A tunnel for a client whose hello, `greeting`, we have not answered, because our own TLS with the origin has failed.
  convenience init(
    connection: any TunnelClient, shard: LoopShard, draft: RecordDraft, target: Route, greeting: [UInt8],
    after failure: ExchangeRecord.Failure
  ) {
    self.init(
      connection: connection, shard: shard, draft: draft, target: target, greeting: greeting, began: .now, isDecided: true)
    failedAttempt = FailedAttempt(failure: failure, helloSize: UInt64(greeting.count))
  }

  func begin() {
    begun = .now
    do throws(TransportError) {
      let task = try shard.session.forward(to: target, via: via, for: self)
      self.task = task
      task.resume()
    } catch {
      end(with: error, nil)
    }
  }

  /// The client is done with the tunnel.
  private func giveUp() {
    isGivenUp = true
    task?.cancel()
  }

  private var via: [String] {
    guard let head = draft.record.request else { return [] }
    return head.fields.values(of: .via) + [shard.configuration.pseudonym.fieldValue(received: head.version)]
  }

  // MARK: From the client

  func receiveFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if clientBegan == nil { clientBegan = instant }
    switch progress.receive(bytes) {
    case .hold: break
    case .judge(let greeting): decide(about: greeting, at: instant)
    case .relay: relayToServer(bytes, at: instant)
    }
  }

  func clientDidEnd() {
    switch progress.endClient() {
    case .hold: break
    case .relay: beginRelaying(at: .now)
    case .passOn: task?.finishSending()
    }
  }

  func clientDidLeave(_ departure: Departure) {
    if draft.record.failure == nil {
      switch departure {
      case .left, .reset:
        draft.record.endedByClient = ExchangeRecord.Phase(task?.reachedPhase ?? .connect)
      case .gaveUp(let failure):
        draft.record.failure = failure
      }
    }
    giveUp()
  }

  /// The client had enough time to send its first bytes, or the tunnel was silent for too long.
  func runOutOfPatience() {
    if direct != nil, !isOpen {
      giveUp()
    } else if progress.isUndecided {
      beginRelaying(at: .now)
    } else {
      connection.lose(because: .gaveUp(.tooQuiet))
    }
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  func didDeliver(at instant: MonotonicInstant) {
    draft.record.marks.stamp(.deliveredFirst, at: instant)
    draft.record.marks.move(.deliveredLast, to: instant)
  }

  // MARK: What becomes of it

  /// Keeps what the server sends to a client that is not there yet: one piece, for then it is read no more.
  private struct EarlyOutput {
    var bytes: [UInt8] = []
    var isAll = false
  }

  func taskDidOpenStream(_ task: SessionTask) {
    isOpen = true
    if connection.originWasReached() { didOpen() } else { early = EarlyOutput() }
  }

  /// The client of a tunnel that was begun before its connection was accepted is there.
  func accept(by connection: any TunnelClient) {
    self.connection = connection
    clientStart = connection.beginTCPHistory(at: .now)
    guard let early = early.take() else { preconditionFailure("a client is accepted once its origin is reached") }
    didOpen()
    if !early.bytes.isEmpty, receive(early.bytes.span) == .more { task?.resumeReceiving() }
    if early.isAll { endOfServer() }
  }

  private func didOpen() {
    connection.engage(.tunnel, at: nil)
    guard !isDecided else {
      _ = progress.open()
      if let direct, let plain = connection.interceptable {
        intercept(plain, direct.hello, direct.client, at: .now)
      } else {
        connection.resumeReading()
        beginRelaying(at: .now)
      }
      return
    }
    noteAnswer(status: HTTPStatus.tunnelEstablished, socks: .succeeded)
    let greeting = progress.open(early: connection.tunnelDidOpen())
    if clientBegan == nil, !greeting.isEmpty { clientBegan = .now }
    connection.resumeReading()
    if shard.configuration.interception == nil, !draft.record.door.readsClear {
      draft.record.unread = .notIntercepted
      beginRelaying(at: .now)
    } else if connection.interceptable == nil {
      draft.record.unread = .streamTunnel
      beginRelaying(at: .now)
    } else if !greeting.isEmpty {
      decide(about: greeting, at: .now)
    }
  }

  /// Clear text of a client that names its destination by HTTP is read in any case: so it is where the client names it
  /// in another way.
  private var readsClear: Bool {
    shard.configuration.interception?.covers([target.host]) ?? draft.record.door.readsClear
  }

  private func noteAnswer(status: Int, socks reply: SOCKSReply) {
    switch draft.record.door {
    case .proxy: draft.record.localStatus = status
    case .socks: draft.record.socksReply = reply
    case .reverse, .network, .library: break
    }
  }

  private func decide(about greeting: [UInt8], at instant: MonotonicInstant) {
    guard let plain = connection.interceptable else { return beginRelaying(at: instant) }
    let greeting = Greeting.peek(greeting.span, readsHTTP2: shard.configuration.speaksHTTP2)
    // Whatever the client begins: a server that spoke first speaks HTTP/2 in clear, or nothing that we read.
    guard serverGreeting.isEmpty || greeting.mayBeHTTP2 else { return beginRelaying(at: instant) }
    switch greeting {
    case .incomplete:
      connection.wait(shard.configuration.headerTimeout)
    case .tls(let hello):
      guard let interception = shard.configuration.interception else {
        draft.record.unread = .notIntercepted
        return beginRelaying(at: instant)
      }
      switch plain.decision(by: interception, for: hello, toward: target.host, at: instant) {
      case .intercept(let client):
        intercept(plain, hello, client, at: instant)
      case .relay(let reason, let comment):
        draft.record.comment = comment
        draft.record.unread = reason
        beginRelaying(at: instant)
      }
    case .malformedTLS:
      guard let interception = shard.configuration.interception, interception.covers([target.host]) else {
        draft.record.unread = shard.configuration.interception == nil ? .notIntercepted : .passedThrough
        return beginRelaying(at: instant)
      }
      guard interception.failsOpen else { return plain.refuseMalformedHello() }
      draft.record.unread = .malformedHello
      beginRelaying(at: instant)
    case .http where readsClear:
      handOver(plain, at: instant) { connection, opening, prepared, greeting in
        connection.continueInClear(opening, to: target, on: prepared, greeting: greeting)
      }
    case .http2 where readsClear:
      handOver(plain, at: instant) { connection, opening, prepared, greeting in
        connection.continueInHTTP2(opening, to: target, on: prepared, greeting: greeting, at: instant)
      }
    case .http, .http2:
      draft.record.unread = .passedThrough
      beginRelaying(at: instant)
    case .other:
      beginRelaying(at: instant)
    }
  }

  private func intercept(_ plain: ClientOpening, _ hello: ClientHello, _ client: TLSClient, at instant: MonotonicInstant) {
    handOver(plain, at: instant) { connection, opening, prepared, greeting in
      connection.intercept(
        InterceptedTunnel.Opening(
          record: opening, target: target, hello: hello, client: client, began: clientBegan, prepared: prepared),
        greeting: greeting, at: instant)
    }
  }

  /// Goes on without the origin: the client's first request tells what is wrong with it. Answers whether the client is still
  /// there.
  private func interceptAlone(at instant: MonotonicInstant) -> Bool {
    guard let direct, let plain = connection.interceptable, !isOpen, !draft.record.isBrokenOff else { return false }
    let greeting = progress.handOver()
    plain.intercept(
      InterceptedTunnel.Opening(
        record: draft.record, target: target, hello: direct.hello, client: direct.client, began: clientBegan, prepared: nil),
      greeting: greeting, at: instant)
    return true
  }

  /// Lets the client's connection go on by itself, with the connection to the origin. Relays if that has been used or has ended.
  private func handOver(
    _ connection: ClientOpening, at instant: MonotonicInstant,
    to take: (ClientOpening, ExchangeRecord, PreparedConnection?, [UInt8]) -> Void
  ) {
    guard let task else { preconditionFailure("a tunnel that stands has a task") }
    task.returnedInput = serverGreeting
    guard let detached = task.detach() else { return beginRelaying(at: instant) }
    let greeting = progress.handOver()
    var metrics = detached.metrics
    draft.record.adopt(&metrics)
    connection.wait(nil)
    take(connection, draft.record, detached.connection, greeting)
  }

  private func beginRelaying(at instant: MonotonicInstant) {
    let held = progress.relay()
    connection.wait(shard.configuration.idleTimeout)
    if !serverGreeting.isEmpty {
      let greeting = serverGreeting
      serverGreeting = []
      // Few bytes: they need no pause.
      _ = relayToClient(greeting.span)
    }
    if !held.bytes.isEmpty { relayToServer(held.bytes.span, at: instant) }
    if held.isAll { task?.finishSending() }
  }

  // MARK: Relaying

  private func relayToServer(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if firstByte == nil { firstByte = instant }
    bytesToServer += UInt64(bytes.count)
    observe(bytes, .toServer)
    if task?.send(bytes) == .pause { connection.pauseReading() }
  }

  /// A stream has no head.
  func task(_ task: SessionTask, didReceive head: ResponseHead) -> ResponseDisposition { .proceed }

  func task(_ task: SessionTask, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) -> Demand {
    if firstByte == nil { firstByte = instant }
    return receive(bytes)
  }

  private func receive(_ bytes: Span<UInt8>) -> Demand {
    if early != nil {
      early?.bytes.append(bytes: bytes)
      return .pause
    }
    if progress.isUndecided {
      if mayGreetInHTTP2(after: bytes) { return .more }
      // If a server speaks first, its protocol is not one that we read.
      beginRelaying(at: .now)
    }
    return relayToClient(bytes)
  }

  private func relayToClient(_ bytes: Span<UInt8>) -> Demand {
    bytesToClient += UInt64(bytes.count)
    observe(bytes, .toClient)
    return connection.relay(bytes)
  }

  /// Whether the server's first bytes are the preface of HTTP/2, which may come before the client's. If so, they are held for as
  /// long as a client may take that speaks HTTP/2, too.
  private func mayGreetInHTTP2(after bytes: Span<UInt8>) -> Bool {
    guard !isDecided, shard.configuration.speaksHTTP2, connection.interceptable != nil, readsClear else { return false }
    var greeting = serverGreeting
    greeting.append(bytes: bytes)
    guard HTTP2Preface.mayBeginServer(greeting.span) else { return false }
    serverGreeting = greeting
    connection.wait(shard.configuration.protocolPatience)
    return true
  }

  func taskDidReceiveEnd(_ task: SessionTask) {
    endOfServer()
  }

  private func endOfServer() {
    guard early == nil else {
      early?.isAll = true
      return
    }
    if progress.isUndecided { beginRelaying(at: .now) }
    connection.endRelay()
  }

  func taskCanSendMore(_ task: SessionTask) {
    if progress.readsClient { connection.resumeReading() }
  }

  /// Once it is clear that the tunnel is relayed, and its hellos have been seen, nothing of it is looked at.
  func taskOutlet(_ task: SessionTask) -> Channel? {
    early == nil && !progress.isUndecided && observer == nil ? connection.outlet : nil
  }

  func task(_ task: SessionTask, didForward count: Int, at instant: MonotonicInstant) -> Demand {
    bytesToClient += UInt64(count)
    return connection.outletDemand
  }

  private func observe(_ bytes: Span<UInt8>, _ direction: TLSRecordObserver.Direction) {
    guard observer != nil else { return }
    observer?.observe(bytes, direction)
    if let observer, observer.isDone {
      draft.record.serverTLS = TLSDetails(observer)
      self.observer = nil
    }
  }

  // MARK: The end

  func task(_ task: SessionTask, didCompleteWith error: TransportError?) {
    self.task = nil
    end(with: isGivenUp ? nil : error, task.metrics)
  }

  private func end(with error: TransportError?, _ metrics: TaskMetrics?) {
    let now = MonotonicInstant.now
    if progress.isHandedOver || error.flatMap(passes) == nil && interceptAlone(at: now) { return }
    if var metrics { draft.record.adopt(&metrics) }
    if let error {
      if !draft.record.isBrokenOff { draft.record.failure = ExchangeRecord.Failure(error) }
      if !isOpen {
        tell(error)
      } else if error.kind == .reset, error.origin == .upstream {
        connection.passOn(PassedFailure(ending: .reset))
      }
    }
    if let failedAttempt, !failedAttempt.wasOvercome(by: bytesToServer) {
      draft.record.note(failedAttempt)
      shard.activity.countFailure(isAnswered: false)
    }
    if draft.record.isBrokenOff { draft.record.marks.stamp(.failed, at: now) }
    notePassed(in: &draft.record)
    noteWhyUnread()
    draft.record.client.note(connection.tcpHistory(since: clientStart, at: now))
    if let stream = connection.http2 { draft.record.note(stream) }
    draft.record.timeline = Timeline(
      startedAt: draft.record.started ?? begun, firstByteAt: firstByte, completedAt: now, serializedAt: now)
    shard.record(draft)
    connection.exchangeDidEnd()
  }

  /// There is no tunnel. Where the client was told of none, only the end of its connection can tell it.
  private func tell(_ error: TransportError) {
    if let passed = passes(error) {
      shard.activity.countFailure(isAnswered: false)
      connection.passOn(passed)
    } else if !isDecided {
      if case .proxy = draft.record.door { shard.activity.countFailure(isAnswered: !wantsAnswer) }
      noteAnswer(status: shard.configuration.status(of: error), socks: SOCKSReply(error))
      connection.tunnelDidFail(error, head: draft.record.request)
    }
  }

  /// How the client's connection ends because of the failure. SOCKS and the network of a command have words of their own for it,
  /// as long as the client has heard nothing.
  private func passes(_ error: TransportError) -> PassedFailure? {
    switch draft.record.door {
    case .socks where !isDecided, .network where !isDecided, .proxy where !isDecided && wantsAnswer: nil
    case .proxy, .reverse, .socks, .network, .library: shard.configuration.passes(error)
    }
  }

  /// Whether the client makes of our answer what connecting would have told it: our script for Node.js does.
  private var wantsAnswer: Bool {
    draft.record.request?.fields.values(named: "Tapeline-Failures") == ["page"]
  }

  /// A tunnel that was not decided on carried no TLS, if it carried anything. A tunnel that did not open had nothing to read.
  private func noteWhyUnread() {
    guard isOpen else { return draft.record.unread = nil }
    guard draft.record.unread == nil, draft.record.serverTLS == nil, bytesToServer + bytesToClient > 0 else { return }
    draft.record.unread = .notTLS
  }

  /// The tunnel as far as it has come; `nil` when it is recorded, or another object has the record.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    guard let task, !progress.isHandedOver else { return nil }
    var record = draft.record
    record.inFlightAt = instant
    var metrics = task.metrics
    record.adopt(&metrics)
    notePassed(in: &record)
    if !isOpen { record.unread = nil }
    record.client.note(connection.tcpHistory(since: clientStart, at: instant))
    return record
  }

  private func notePassed(in record: inout ExchangeRecord) {
    record.kind = .tunnel(toServer: bytesToServer, toClient: bytesToClient)
    if let observer { record.serverTLS = TLSDetails(observer) }
    guard let clientBegan, let serverBegan = record.marks[.responseFirstByte], serverBegan >= clientBegan else { return }
    record.serverTLS?.helloNanoseconds = serverBegan.nanoseconds(since: clientBegan)
  }
}
