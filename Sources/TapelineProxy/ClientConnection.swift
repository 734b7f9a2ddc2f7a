internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTime
internal import TapelineTransport

/// One client's connection: reads requests, one at a time and in order, and starts an exchange or a tunnel for each. Loop-bound.
///
/// Its stored properties belong to this file and its two extensions: what the proxy answers itself (`+Answers`) and what the channel
/// tells (`+Channel`).
final class ClientConnection {
  enum Phase {
    /// Nothing is owed: a request may begin.
    case awaitingRequest
    /// A request is being relayed and its response is owed.
    case exchanging(ProxyTaskDelegate)
    case tunnelling(TunnelTaskDelegate)
    /// We have answered ourselves; the end of the request is still to be read.
    case answered
    /// Ours no longer: the channel may still be sending the last octets.
    case closed
  }

  let id = ConnectionID.next()
  let channel: Channel
  unowned let shard: LoopShard
  private let peerPort: UInt16
  /// The text is made once per connection, not once per exchange.
  private let peerHost: String
  private let acceptedAt: MonotonicInstant
  var phase = Phase.awaitingRequest
  var http: HTTP1Connection
  /// Octets behind the request under way: pipelined requests, or the first octets for a tunnel. At most a receive buffer.
  private var input: [UInt8] = []
  /// When the first octet of the request that is being read came.
  private var requestBegan: MonotonicInstant?
  private var exchanges = 0
  private var patience: Timer?

  init(shard: LoopShard, channel: Channel, peer: SocketAddress, acceptedAt: MonotonicInstant) {
    self.shard = shard
    self.channel = channel
    peerHost = peer.host
    peerPort = peer.port
    self.acceptedAt = acceptedAt
    http = HTTP1Connection(role: .server, limits: shard.configuration.limits)
  }

  func start() {
    channel.handler = self
    channel.start()
    wait(shard.configuration.idleTimeout)
  }

  // MARK: Requests

  func parse(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    if case .awaitingRequest = phase, requestBegan == nil {
      requestBegan = instant
      wait(shard.configuration.headerTimeout)
    }
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
        case .exchanging, .tunnelling, .answered: continue
        case .awaitingRequest, .closed: return
        }
      }
    } catch {
      refuse(error, at: instant)
    }
  }

  private func begin(_ head: RequestHead, at instant: MonotonicInstant) {
    wait(nil)
    let record = newRecord(head, at: instant)
    exchanges += 1
    requestBegan = nil
    switch head.target {
    case .absolute(let target) where target.scheme == .http:
      guard !isOurs(host: target.host, port: target.port) else {
        return answerLocally(record)
      }
      guard !head.hasPassedHere else {
        return reject(
          record, status: 508, kind: "loop-detected", "the request has been here before: its Via names tapeline (RFC 9110 7.6.3)")
      }
      guard head.expectation != .unknown else {
        return reject(
          record, status: 417, kind: "unknown-expectation", "the only expectation known is 100-continue (RFC 9110 10.1.1)")
      }
      let route = Route(host: target.host, port: target.port)
      let exchange = ProxyTaskDelegate(
        connection: self, shard: shard, record: record, request: OutgoingRequest(head: head, framing: http.framing, route: route),
        persists: http.mayPersist && !shard.isShuttingDown)
      phase = .exchanging(exchange)
      exchange.begin()
      if http.framing != .none { waitForClient(in: exchange) }
    case .absolute:
      reject(
        record, status: 400, kind: "unsupported-scheme",
        "a proxy is asked for http:// URLs; https:// goes through CONNECT (RFC 9110 9.3.6)")
    case .authority(let host, let port):
      guard !isOurs(host: host, port: port) else {
        return reject(record, status: 508, kind: "loop-detected", "the tunnel would lead back to this proxy")
      }
      let route = Route(host: host, port: port)
      let tunnel = TunnelTaskDelegate(connection: self, shard: shard, record: record)
      phase = .tunnelling(tunnel)
      channel.pauseReading()
      tunnel.begin(to: route)
    case .origin:
      answerLocally(record)
    case .asterisk:
      reject(record, status: 400, kind: "unsupported-target", "the target * is for a server; a proxy needs an absolute URL")
    }
  }

  private func endRequest(rest: Span<UInt8>, at instant: MonotonicInstant) {
    keep(rest)
    switch phase {
    case .exchanging(let exchange):
      exchange.endRequest(at: instant)
    case .answered:
      phase = .awaitingRequest
      proceed()
    case .tunnelling, .awaitingRequest, .closed:
      break
    }
  }

  /// Keeps octets behind the request under way, and stops reading: a client that pipelines is answered in order.
  func keep(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    unsafe bytes.withUnsafeBufferPointer { unsafe input.append(contentsOf: $0) }
    channel.pauseReading()
  }

  /// The octets kept behind the request, which are the caller's now.
  func takeInput() -> [UInt8] {
    defer { input = [] }
    return input
  }

  /// Whether the target is an address of the proxy, named as such. Other names of it turn out when they are connected to.
  private func isOurs(host: String, port: UInt16) -> Bool {
    guard shard.addresses.contains(where: { $0.port == port }) else { return false }
    guard let address = SocketAddress(literal: host == "localhost" ? "127.0.0.1" : host, port: port) else { return false }
    return address == address.reached && shard.addresses.contains { $0.covers(address) }
  }

  // MARK: What exchanges and tunnels tell

  /// The exchange is over and recorded.
  func exchangeDidEnd(persist: Bool) {
    if case .closed = phase { return }
    phase = .awaitingRequest
    if persist, !shard.isShuttingDown {
      proceed()
    } else {
      end()
    }
  }

  /// Looks at what came behind the last request, or reads on.
  private func proceed() {
    wait(shard.configuration.idleTimeout)
    guard !input.isEmpty else { return channel.resumeReading() }
    shard.loop.enqueueLocal { [self] in
      guard case .awaitingRequest = phase else { return }
      let pipelined = takeInput()
      parse(pipelined.span, at: .now)
      switch phase {
      case .awaitingRequest, .exchanging:
        // Unless yet another request waits behind this one.
        if input.isEmpty { channel.resumeReading() }
      case .tunnelling, .answered, .closed:
        break
      }
    }
  }

  /// Sends what is queued, then ends the connection without cutting off our own last octets.
  func end() {
    channel.closeAfterFlush()
    didClose()
  }

  /// Drops the connection so that the client cannot take a cut-off body for a whole one.
  func reset() {
    channel.reset()
    didClose()
  }

  func close() {
    channel.close()
    didClose()
  }

  private func didClose() {
    phase = .closed
    wait(nil)
    input = []
    shard.connectionDidEnd(self)
  }

  // MARK: Shutdown

  func closeIfIdle() {
    if case .awaitingRequest = phase, requestBegan == nil { close() }
  }

  /// Ends whatever is under way; it is recorded.
  func abort() {
    lose(because: .shutdown)
  }

  /// The client is gone, or we give it up: what is under way is cancelled and recorded with `failure`.
  func lose(because failure: ExchangeRecord.Failure) {
    switch phase {
    case .awaitingRequest:
      if requestBegan != nil { recordUnfinishedRequest(failure) }
      close()
    case .answered:
      close()
    case .exchanging(let exchange):
      close()
      exchange.clientDidLeave(failure)
    case .tunnelling(let tunnel):
      close()
      tunnel.clientDidLeave(failure)
    case .closed:
      break
    }
  }

  func newRecord(_ head: RequestHead?, at instant: MonotonicInstant) -> ExchangeRecord {
    var marks = TimelineMarks()
    marks.stamp(.accepted, at: acceptedAt)
    marks.stamp(.requestFirstByte, at: requestBegan ?? instant)
    if head != nil { marks.stamp(.requestHeadEnd, at: instant) }
    return ExchangeRecord(
      id: ExchangeID.next(),
      kind: .exchange,
      client: ExchangeRecord.Peer(connectionID: id, address: peerHost, port: peerPort, isReused: exchanges > 0),
      request: head,
      requestBody: BodyCapture(limit: shard.configuration.maxBody),
      responseBody: BodyCapture(limit: shard.configuration.maxBody),
      marks: marks,
      timeline: Timeline())
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

  /// In an exchange it is the client's turn when it has not taken what we have for it, or owes octets of its body that we would take.
  func waitForClient(in exchange: ProxyTaskDelegate) {
    let isClientsTurn = channel.bufferedBytes > 0 || exchange.awaitsBody
    wait(isClientsTurn ? shard.configuration.idleTimeout : nil)
  }

  private func runOutOfPatience() {
    switch phase {
    case .awaitingRequest:
      if requestBegan == nil { close() } else { refuseUnfinishedHead() }
    case .exchanging(let exchange):
      if exchange.awaitsBody, exchange.canBeAnswered {
        exchange.clientBroke(.clientTimedOut(in: "request"), status: 408)
      } else {
        lose(because: .clientTimedOut(in: "receive"))
      }
    case .tunnelling, .answered, .closed:
      lose(because: .clientTimedOut(in: "request"))
    }
  }
}
