internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime
internal import TapelineTransport

/// One client's connection: reads requests, one at a time and in order, and starts an exchange or a tunnel for each. Loop-bound.
///
/// Its stored properties belong to this file and its extensions: requests and where they go (`+Requests`), the proxy's own
/// answers (`+Answers`), the channel's events (`+Channel`), connections that do not carry requests to a proxy (`+Tunnels`), and
/// TLS with the client (`+Interception`).
final class ClientConnection {
  enum Phase {
    /// No response is owed: a request may begin.
    case awaitingRequest
    /// A request is being relayed and its response is owed.
    case exchanging(ForwardedExchange)
    case tunnelling(TunnelTaskDelegate)
    /// TLS is spoken to the listener itself; its hello is not complete.
    case greeting
    /// The TLS handshake, in which we act as the host that the client means.
    case securing(TLSEngine)
    /// The exchange has switched protocols: bytes go both ways.
    case upgraded(ForwardedExchange)
    /// We will answer ourselves, with data that is still being gathered. Content of the request is read and thrown away.
    case gathering(ExchangeRecord)
    /// We have answered ourselves; the end of the request has not been read yet.
    case answered
    /// No longer ours: the channel may still be sending the last bytes.
    case closed
  }

  let id = ConnectionID.next()
  /// Over TLS once the connection is intercepted.
  var link: Link
  unowned let shard: LoopShard
  private let peerPort: UInt16
  /// The text is made once per connection, not once per exchange.
  let peerHost: String
  /// The destinations that it may reach.
  let reach: Reach
  private let acceptedAt: MonotonicInstant
  var phase = Phase.awaitingRequest
  var http: HTTP1Connection
  /// The tunnel that the requests come through, if they do.
  var tunnel: InterceptedTunnel?
  /// The connections to origins that belong to this one alone; `nil` where all clients share them, or while none was needed.
  private var pairing: PairedConnections?
  /// Bytes after the current request: pipelined requests, or the first bytes for a tunnel. At most a receive buffer.
  var input: [UInt8] = []
  /// When the first byte of the current request came.
  var requestBegan: MonotonicInstant?
  /// Requests so far; inside a tunnel, those that came through it.
  var exchanges = 0
  private var patience: Timer?
  private var engagement = Engagement.none

  init(shard: LoopShard, channel: Channel, peer: SocketAddress, acceptedAt: MonotonicInstant) {
    self.shard = shard
    link = .plain(channel)
    peerHost = peer.host
    peerPort = peer.port
    reach = peer.isLoopback ? .everywhere : .guarded
    self.acceptedAt = acceptedAt
    http = HTTP1Connection(role: .server, limits: shard.configuration.limits)
  }

  func start(on channel: Channel) {
    channel.handler = self
    channel.start()
    wait(shard.configuration.idleTimeout)
  }

  // MARK: What exchanges and tunnels tell

  /// The exchange is over and recorded.
  func exchangeDidEnd(persist: Bool) {
    if case .closed = phase { return }
    phase = .awaitingRequest
    engage(.none)
    if persist, !shard.isShuttingDown {
      proceed()
    } else {
      end()
    }
  }

  // MARK: The connections to origins

  /// The connections that carry this client's requests; `nil`: those that all clients share.
  var connections: PairedConnections? {
    if pairing == nil, shard.pairsConnections {
      let connections = PairedConnections()
      connections.onLastEnd = { [unowned self] in originDidEnd() }
      pairing = connections
    }
    return pairing
  }

  /// Whether this connection ends with the origin's connection that the current exchange uses: it leads to no other origin.
  var endsWithOrigin: Bool { pairing?.isEmpty ?? false }

  /// Whether, after an exchange with an origin, the connection still leads somewhere, or the client has asked for more.
  var outlivesOrigin: Bool { !endsWithOrigin || !input.isEmpty }

  /// The origin has ended a connection that carried no request: the client hears of it as it would have without us.
  func originDidEnd() {
    guard shard.pairsConnections, case .awaitingRequest = phase, requestBegan == nil, input.isEmpty else { return }
    end()
  }

  /// Looks at bytes that came after the last request, or reads on.
  func proceed() {
    wait(shard.configuration.idleTimeout)
    guard !input.isEmpty else { return link.resumeReading() }
    shard.loop.enqueueLocal { [self] in
      guard case .awaitingRequest = phase else { return }
      let pipelined = takeInput()
      parse(pipelined.span, at: .now)
      switch phase {
      case .awaitingRequest, .exchanging:
        // Unless another request waits after this one.
        if input.isEmpty { link.resumeReading() }
      case .tunnelling, .gathering, .answered, .greeting, .securing, .upgraded, .closed:
        break
      }
    }
  }

  /// Sends what is queued, then ends the connection without cutting off our own last bytes.
  func end() {
    link.closeAfterFlush()
    didClose()
  }

  /// Drops the connection, so that the client cannot mistake a cut-off body for a whole one.
  func reset() {
    link.reset()
    didClose()
  }

  func close() {
    link.close()
    didClose()
  }

  private func didClose() {
    phase = .closed
    wait(nil)
    input = []
    recordUnusedTunnel()
    tunnel = nil
    pairing?.close()
    engage(.none)
    shard.connectionDidEnd(self)
  }

  // MARK: Shutdown

  func closeIfIdle() {
    if case .awaitingRequest = phase, requestBegan == nil { close() }
  }

  /// Ends the current exchange or tunnel, which is recorded.
  func abort() {
    lose(because: .gaveUp(.shutdown))
  }

  /// Why a client's connection ends before its current work is done.
  enum Departure {
    /// The client has ended it, as it may.
    case left
    /// We end it.
    case gaveUp(ExchangeRecord.Failure)

    /// The failure to record where the client had no right to leave: inside its own message, or in a handshake.
    func failure(in phase: ExchangeRecord.Phase) -> ExchangeRecord.Failure {
      switch self {
      case .left: .clientGone(in: phase)
      case .gaveUp(let failure): failure
      }
    }
  }

  /// The client is gone, or we give it up: the current exchange or tunnel is cancelled and recorded.
  func lose(because departure: Departure) {
    switch phase {
    case .awaitingRequest:
      if requestBegan != nil { recordUnfinishedRequest(departure.failure(in: .request)) }
      close()
    case .gathering(var record):
      record.failure = departure.failure(in: .request)
      shard.recordLocal(&record, at: .now)
      close()
    case .answered:
      close()
    case .greeting:
      recordUnfinishedRequest(departure.failure(in: .request))
      close()
    case .securing:
      recordTunnelWithoutRequest(departure.failure(in: .tls), nil)
      close()
    case .exchanging(let exchange), .upgraded(let exchange):
      close()
      exchange.clientDidLeave(departure)
    case .tunnelling(let tunnel):
      close()
      tunnel.clientDidLeave(departure)
    case .closed:
      break
    }
  }

  func newRecord(_ head: RequestHead?, at instant: MonotonicInstant) -> ExchangeRecord {
    var marks = TimelineMarks()
    marks.stamp(.accepted, at: acceptedAt)
    marks.stamp(.requestFirstByte, at: requestBegan ?? instant)
    if head != nil { marks.stamp(.requestHeadEnd, at: instant) }
    var record = ExchangeRecord(
      id: ExchangeID.next(),
      kind: .exchange,
      client: ExchangeRecord.Peer(connectionID: id, address: peerHost, port: peerPort, isReused: exchanges > 0),
      request: head,
      requestBody: BodyCapture(limit: shard.configuration.maxBody),
      responseBody: BodyCapture(limit: shard.configuration.maxBody),
      marks: marks,
      timeline: Timeline())
    if let tunnel { note(tunnel, in: &record) }
    return record
  }

  /// Changes what the connection counts as from now on.
  func engage(_ new: Engagement, at instant: MonotonicInstant? = nil) {
    guard new != engagement else { return }
    shard.activity.move(from: engagement, to: new, at: instant ?? .now)
    engagement = new
  }

  /// The current exchange or tunnel, as far as it has come; `nil` without one, or while its request is not here.
  func exchangeInFlight(at instant: MonotonicInstant) -> ExchangeRecord? {
    switch phase {
    case .exchanging(let exchange), .upgraded(let exchange): exchange.recordSoFar(at: instant)
    case .tunnelling(let tunnel): tunnel.recordSoFar(at: instant)
    case .awaitingRequest, .greeting, .securing, .gathering, .answered, .closed: nil
    }
  }

  // MARK: Patience

  func wait(_ nanoseconds: Int64?) {
    guard let nanoseconds else {
      patience?.cancel()
      return
    }
    let timer = patience ?? Timer(loop: shard.loop) { [unowned self] in runOutOfPatience() }
    patience = timer
    timer.start(afterNanoseconds: nanoseconds)
  }

  /// In an exchange it is the client's turn if it has not taken the bytes we have for it, or owes bytes of its body that we would
  /// take.
  func waitForClient(in exchange: ForwardedExchange) {
    let isClientsTurn = link.bufferedBytes > 0 || exchange.awaitsBody
    wait(isClientsTurn ? shard.configuration.idleTimeout : nil)
  }

  /// Bytes have passed, either way, on a connection that carries no messages: its time-out for silence starts again.
  func noteLifeOfStream() {
    if let limit = shard.configuration.idleTimeout { wait(limit) }
  }

  private func runOutOfPatience() {
    switch phase {
    case .awaitingRequest:
      if requestBegan == nil { close() } else { refuseUnfinishedHead() }
    case .exchanging(let exchange):
      if exchange.awaitsBody, exchange.canBeAnswered {
        exchange.clientBroke(.clientTimedOut(in: .request, option: "--idle-timeout"), status: 408)
      } else {
        lose(because: .gaveUp(.clientTimedOut(in: .receive, option: "--idle-timeout")))
      }
    case .securing:
      lose(because: .gaveUp(.clientTimedOut(in: .tls, option: "--header-timeout")))
    case .tunnelling(let tunnel):
      tunnel.runOutOfPatience()
    case .upgraded:
      lose(because: .gaveUp(.tooQuiet))
    case .gathering, .answered, .greeting, .closed:
      lose(because: .gaveUp(.clientTimedOut(in: .request, option: "--header-timeout")))
    }
  }
}
