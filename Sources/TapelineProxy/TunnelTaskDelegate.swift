internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// A CONNECT tunnel: bytes both ways, with back-pressure and half-close in each direction (RFC 9110 9.3.6).
///
/// Where interception is on, what the client begins with decides whether the tunnel is relayed as it is, or the connection is taken over
/// and its requests are read. Of a tunnel that is relayed, the two hellos of TLS are looked at, and nothing else.
///
/// Safety: `@unchecked Sendable` is inherited; everything here is touched on the loop only.
final class TunnelTaskDelegate: StreamTaskDelegate, @unchecked Sendable {
  private enum Stage {
    /// The connection to the origin is on its way.
    case opening
    /// It stands. What comes first decides what becomes of it.
    case undecided
    case relaying
    /// The origin's connection is the client connection's now, and so is the record.
    case handedOver
  }

  private let connection: ClientConnection
  private let shard: LoopShard
  private let target: Route
  /// Whether the client asked for the tunnel, and so is told when it stands.
  private let answersConnect: Bool
  private var record: ExchangeRecord
  /// Broken when the tunnel is recorded.
  private var forwarded: Request?
  private var stage = Stage.opening
  /// The client's bytes, until it is decided who gets them.
  private var greeting: [UInt8]
  private var observer: TLSRecordObserver? = TLSRecordObserver()
  /// When the first byte came from the client.
  private var clientBegan: MonotonicInstant?
  private var bytesToServer: UInt64 = 0
  private var bytesToClient: UInt64 = 0
  private var clientEnded = false

  /// The tunnel that a CONNECT asks for.
  init(connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, target: Route) {
    self.connection = connection
    self.shard = shard
    self.record = record
    self.target = target
    answersConnect = true
    greeting = []
    super.init()
  }

  /// A tunnel that nobody asked for, for a client whose first bytes, from `began` on, are here already. It is not intercepted.
  init(
    connection: ClientConnection, shard: LoopShard, record: ExchangeRecord, target: Route, greeting: [UInt8],
    began: MonotonicInstant?
  ) {
    self.connection = connection
    self.shard = shard
    self.record = record
    self.target = target
    answersConnect = false
    self.greeting = greeting
    clientBegan = began
    super.init()
  }

  private var link: Link { connection.link }

  func begin() {
    let forwarded = shard.session.stream(to: target, via: via, with: self)
    self.forwarded = forwarded
    forwarded.resume()
  }

  private var via: [String] {
    guard let head = record.request else { return [] }
    return head.fields.values(of: .via) + [shard.configuration.pseudonym.fieldValue(received: head.version)]
  }

  // MARK: From the client

  func receiveFromClient(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if clientBegan == nil { clientBegan = instant }
    switch stage {
    case .opening, .undecided:
      unsafe bytes.withUnsafeBufferPointer { unsafe greeting.append(contentsOf: $0) }
      if case .undecided = stage { decide(at: instant) }
    case .relaying:
      relayToServer(bytes, at: instant)
    case .handedOver:
      preconditionFailure("a tunnel that was handed over hears of no more bytes")
    }
  }

  func clientDidEnd() {
    clientEnded = true
    switch stage {
    case .opening, .handedOver: break
    case .undecided: beginRelaying(at: .now)
    case .relaying: finishSending()
    }
  }

  func clientDidLeave(_ departure: ClientConnection.Departure) {
    if record.failure == nil {
      switch departure {
      case .left:
        record.endedByClient = (task?.reachedPhase ?? .connect).rawValue
      case .gaveUp(let failure):
        record.failure = failure
      }
    }
    forwarded?.cancel()
  }

  /// The client was given long enough: to show what it begins with, or to be silent.
  func runOutOfPatience() {
    if case .undecided = stage {
      beginRelaying(at: .now)
    } else {
      connection.lose(because: .gaveUp(.tooQuiet))
    }
  }

  func clientCanTakeMore() {
    task?.resumeReceiving()
  }

  func didDeliver(at instant: MonotonicInstant) {
    record.marks.stamp(.deliveredFirst, at: instant)
    record.marks.move(.deliveredLast, to: instant)
  }

  // MARK: What becomes of it

  override func taskDidOpenStream() {
    super.taskDidOpenStream()
    connection.engage(.tunnel)
    if answersConnect {
      record.localStatus = 200
      link.withOutput { $0.append(contentsOf: "HTTP/1.1 200 Connection established\r\n\r\n".utf8) }
      greeting = connection.takeInput()
      if !greeting.isEmpty { clientBegan = .now }
    }
    stage = .undecided
    link.resumeReading()
    if answersConnect, shard.configuration.interception != nil {
      if !greeting.isEmpty { decide(at: .now) }
    } else {
      if answersConnect { record.unread = .notIntercepted }
      beginRelaying(at: .now)
    }
  }

  private func decide(at instant: MonotonicInstant) {
    guard let interception = shard.configuration.interception else { return beginRelaying(at: instant) }
    // A constant: an optimised build lets no span of a stored property live through the switch.
    let bytes = greeting
    switch Greeting.peek(bytes.span) {
    case .incomplete:
      connection.wait(shard.configuration.headerTimeout)
    case .tls(let hello):
      switch connection.decision(by: interception, for: hello, toward: target.host, at: instant) {
      case .intercept(let client):
        handOver(at: instant) { connection, opening, prepared, greeting in
          connection.intercept(
            ClientConnection.Opening(
              record: opening, target: target, hello: hello, client: client, began: clientBegan, prepared: prepared),
            greeting: greeting, at: instant)
        }
      case .relay(let reason, let comment):
        record.comment = comment
        record.unread = reason
        beginRelaying(at: instant)
      }
    case .http where interception.covers([target.host]):
      handOver(at: instant) { connection, opening, prepared, greeting in
        connection.continueInClear(opening, to: target, on: prepared, greeting: greeting)
      }
    case .http:
      record.unread = .passedThrough
      beginRelaying(at: instant)
    case .other:
      beginRelaying(at: instant)
    }
  }

  /// Lets the client's connection go on by itself, with the connection to the origin; relays when that has been used or has ended.
  private func handOver(
    at instant: MonotonicInstant, to take: (ClientConnection, ExchangeRecord, PreparedConnection?, [UInt8]) -> Void
  ) {
    guard let task else { preconditionFailure("a tunnel that stands has a task") }
    stage = .handedOver
    let prepared = shard.transport.detach(task)
    guard prepared != nil || !shard.transport.keepsConnections else {
      stage = .undecided
      return beginRelaying(at: instant)
    }
    connection.wait(nil)
    take(connection, record, prepared, greeting)
  }

  private func beginRelaying(at instant: MonotonicInstant) {
    stage = .relaying
    connection.wait(shard.configuration.idleTimeout)
    let first = greeting
    greeting = []
    if !first.isEmpty { relayToServer(first.span, at: instant) }
    if clientEnded { finishSending() }
  }

  // MARK: Relaying

  private func relayToServer(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    stampInitialResponse(at: instant)
    bytesToServer += UInt64(bytes.count)
    observe(bytes, .toServer)
    if send(bytes) == .pause { link.pauseReading() }
  }

  override func taskDidReceive(_ bytes: Span<UInt8>) -> Demand {
    // A server that speaks first speaks no protocol that we read.
    if case .undecided = stage { beginRelaying(at: .now) }
    bytesToClient += UInt64(bytes.count)
    observe(bytes, .toClient)
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  override func taskDidReceiveEnd() {
    if case .undecided = stage { beginRelaying(at: .now) }
    link.shutdownOutput()
  }

  override func taskCanSendMore() {
    if !clientEnded { link.resumeReading() }
  }

  private func observe(_ bytes: Span<UInt8>, _ direction: TLSRecordObserver.Direction) {
    guard observer != nil else { return }
    observer?.observe(bytes, direction)
    if let observer, observer.isDone {
      record.serverTLS = TLSDetails(observer)
      self.observer = nil
    }
  }

  // MARK: The end

  override func taskDidComplete() {
    guard let forwarded else { return }
    self.forwarded = nil
    let now = MonotonicInstant.now
    if let metrics { record.adopt(metrics) }
    if case .handedOver = stage { return }
    if let error = (error as? TapelineError)?.transportError {
      if !record.isBrokenOff { record.failure = ExchangeRecord.Failure(error) }
      if !isOpen, answersConnect {
        let reply = LocalReply(error)
        record.localStatus = reply.status
        connection.send(reply, version: record.request?.version ?? .http11, persist: false, hasBody: true)
      }
    }
    if record.isBrokenOff { record.marks.stamp(.failed, at: now) }
    notePassed(in: &record)
    noteWhyUnread()
    record.client.tcp = link.recentTCPInfo(at: now).map { ExchangeRecord.TCPStatistics($0) }
    record.timeline = forwarded.timeline(startedAt: record.started, serializedAt: now)
    shard.record(record)
    connection.exchangeDidEnd(persist: false)
  }

  /// What was not decided on was no TLS, if it was anything. What did not stand had nothing to read.
  private func noteWhyUnread() {
    guard isOpen else { return record.unread = nil }
    if record.unread == nil, record.serverTLS == nil, bytesToServer + bytesToClient > 0 { record.unread = .notTLS }
  }

  /// The tunnel as far as it has come; `nil` when it is recorded, or others have the record.
  func recordSoFar(at instant: MonotonicInstant) -> ExchangeRecord? {
    if case .handedOver = stage { return nil }
    guard forwarded != nil else { return nil }
    var record = record
    record.inFlightAt = instant
    if let metrics = metrics ?? task?.metrics { record.adopt(metrics) }
    notePassed(in: &record)
    if !isOpen { record.unread = nil }
    record.client.tcp = link.recentTCPInfo(at: instant).map { ExchangeRecord.TCPStatistics($0) }
    return record
  }

  private func notePassed(in record: inout ExchangeRecord) {
    record.kind = .tunnel(toServer: bytesToServer, toClient: bytesToClient)
    if let observer { record.serverTLS = TLSDetails(observer) }
    guard let clientBegan, let serverBegan = record.marks[.responseFirstByte], serverBegan >= clientBegan else { return }
    record.serverTLS?.helloNanoseconds = serverBegan.nanoseconds(since: clientBegan)
  }
}
