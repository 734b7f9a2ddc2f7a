internal import TapelineCore
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// One loop's share of the proxy: its listeners, its session with the pool of upstream connections, its client connections.
/// Loop-bound; a client stays on the loop that serves it for life.
final class LoopShard {
  let loop: EventLoop
  /// Among the loops.
  private let number: Int
  let session: Session
  let configuration: ProxyConfiguration
  /// Every address on which the proxy listens as a proxy: requests for these are for us.
  let addresses: [SocketAddress]
  private let recorder: any LoopRecorder
  private var heldBack = HeldExchanges()
  /// Whether the recorder hands on at the end of this turn.
  private var isHandOnDue = false

  let transport: any ProxyTransport
  /// This loop's part of the proxy's activity.
  let activity: ActivityCounters
  let metrics: MetricsSource
  private let peerUsers = PeerUsers()
  /// The names that programs of a served network have looked up.
  let knownNames: KnownNames

  var date = HTTPDate()
  /// This loop's share of `maxConnections`.
  private let connectionShare: Int
  private var listeners: [Listener] = []
  private var isAccepting = true
  private var connections: [UInt64: any ShardConnection] = [:]
  /// Exchanges whose clients are gone with all that they wanted, while their origins are still being sent the requests.
  private var deliveries: [ObjectIdentifier: ForwardedExchange] = [:]
  /// The other loops. Empty while this one begins, and when it shuts down.
  private var neighbours: [Neighbour] = []
  private var nameRelay: NameRelay?
  private var packetQueue: PacketQueue?
  private var gate: ConnectionGate?
  /// Whom programs of a network ask for names, whatever server they name.
  private(set) var nameServer: SocketAddress?
  /// By which the owners of a network's sockets are found (`NetworkSockets`). One loop may ask at a time.
  private(set) var networkDiagnostics: Int32?
  private var grace: Timer?
  private var whenDrained: (@Sendable () -> Void)?

  init(
    loop: EventLoop, number: Int = 0, resolver: Resolver, lineages: SessionLineages, configuration: ProxyConfiguration,
    addresses: [SocketAddress], originAddresses: [SocketAddress] = [], activity: ActivityCounters, metrics: MetricsSource,
    knownNames: KnownNames = KnownNames(), recorder: any LoopRecorder
  ) {
    self.loop = loop
    self.number = number
    self.configuration = configuration
    self.addresses = addresses
    self.activity = activity
    self.metrics = metrics
    self.knownNames = knownNames
    self.recorder = recorder
    connectionShare = max(1, configuration.maxConnections / configuration.threads)
    var network = NetworkTransport.Configuration()
    network.connectTimeout = configuration.connectTimeout
    network.responseTimeout = configuration.responseTimeout
    network.idleTimeout = configuration.idleTimeout
    network.idleConnections.idleTime = configuration.idleTimeout
    network.idleConnections.total = min(network.idleConnections.total, connectionShare)
    network.limits = configuration.limits
    network.speaksHTTP2 = configuration.speaksHTTP2
    network.refusedPeers = addresses + originAddresses
    network.prohibits = { [access = configuration.access] address, route in access.prohibits(address, on: route) }
    network.upstreamProxy = configuration.upstreamProxy
    if let rules = configuration.rules { network.placement = { rules().placement(of: $0) } }
    network.pseudonym = configuration.pseudonym
    network.namesItself = configuration.namesItself
    network.lineages = lineages
    network.tls = configuration.upstreamTLS
    network.clientCredentials = { [credentials = configuration.clientCredentials] in credentials[$0] }
    let networkTransport = NetworkTransport(loop: loop, resolver: resolver, configuration: network)
    transport = configuration.transport?(networkTransport) ?? networkTransport
    session = Session(loop: loop, transport: transport)
  }

  var isShuttingDown: Bool { whenDrained != nil }

  /// Whether a client connection has its own connections to origins. A transport that keeps no connections has none to give it.
  var pairsConnections: Bool { !configuration.sharesConnections && transport.keepsConnections }

  func listen(at places: [ListeningPlace]) throws(LoopError) {
    for place in places {
      let entrance = place.entrance
      let listener =
        switch place.socket {
        case .address(let address):
          try Listener(
            loop: loop, address: address, sharedBy: configuration.threads,
            keptName: ListeningPlace.keptName(place.number, loop: number)
          ) { [unowned self] descriptor, peer, instant in
            didAccept(descriptor, peer: peer, entrance, at: instant)
          }
        case .shared(let socket):
          try Listener(loop: loop, sharing: socket) { [unowned self] descriptor, peer, instant in
            didAccept(descriptor, peer: peer, entrance, at: instant)
          }
        }
      if !isAccepting { listener.pause() }
      listeners.append(listener)
    }
  }

  /// Sends the questions for names that come from a network to the server that the user has named.
  /// - Parameter isFirst: this loop passes on the questions that come by UDP, and asks who its clients are.
  func relayNames(of network: NetworkSockets, isFirst: Bool) throws(LoopError) {
    nameServer = network.nameServer
    guard isFirst else { return }
    networkDiagnostics = network.diagnostics
    do throws(SystemCallError) {
      nameRelay = try NameRelay(
        loop: loop, sockets: network.names, server: network.nameServer, access: configuration.access, knownNames: knownNames)
    } catch {
      throw LoopError(error)
    }
  }

  /// Holds each connection of a network back until its server has been reached. Call it before this loop, and no other, listens
  /// there.
  func holdConnections(queuedBy packets: Int32) throws(LoopError) {
    let gate = ConnectionGate(shard: self) { [unowned self] packet, verdict in packetQueue?.judge(packet, verdict) }
    do throws(SystemCallError) {
      packetQueue = try PacketQueue(loop: loop, sharing: packets) { [unowned gate] packet in gate.receive(packet, at: .now) }
    } catch {
      throw LoopError(error)
    }
    self.gate = gate
  }

  /// From now on this loop may hand connections over to others, and they to it.
  func meet(_ neighbours: [Neighbour]) {
    self.neighbours = neighbours
  }

  private func didAccept(
    _ descriptor: consuming FileDescriptor, peer: SocketAddress?, _ entrance: Entrance, at instant: MonotonicInstant
  ) {
    // Exchanges that are held back are known to this loop alone.
    guard gate == nil, let neighbour = neighbours.min(by: { $0.activity.clients < $1.activity.clients }),
      LoopBalance.handsOver(own: activity.clients, other: neighbour.activity.clients, share: connectionShare)
    else {
      activity.countClient(1)
      return serve(descriptor, peer: peer, entrance, at: instant)
    }
    // Here, so that what is on its way is counted.
    neighbour.activity.countClient(1)
    let shard = neighbour.shard
    let descriptor = descriptor.release()
    shard.loop.execute { shard.value.serve(FileDescriptor(owning: descriptor), peer: peer, entrance, at: instant) }
  }

  /// Serves a connection that has been counted.
  private func serve(
    _ descriptor: consuming FileDescriptor, peer: SocketAddress?, _ entrance: Entrance, at instant: MonotonicInstant
  ) {
    if isShuttingDown {
      activity.countClient(-1)
      return descriptor.discard()
    }
    // While the client is there: later, the kernel may have forgotten its user.
    let isOfThisUser = isOfThisUser(descriptor.rawValue, peer: peer, entrance)
    let channel = Channel(loop: loop, descriptor: descriptor, peer: peer)
    let client: Client
    var tunnel: ForwardedTunnel?
    switch gate?.claim(from: peer, to: channel.localAddress) {
    case .client(let held):
      client = held.client
      tunnel = held.takeTunnel()
    case .over:
      activity.countClient(-1)
      return channel.reset()
    case .unknown, nil:
      client = Client(shard: self, peer: peer, entrance: entrance, isOfThisUser: isOfThisUser, acceptedAt: instant)
    }
    let opening = ClientOpening(shard: self, link: .plain(channel), client: client)
    connections[opening.id] = opening
    if activity.clients >= connectionShare {
      isAccepting = false
      for listener in listeners { listener.pause() }
    }
    opening.start(on: channel, in: tunnel)
  }

  /// Whether a client is a program of this user, or of root, on this machine. Of the others, no one else's rights may be used to
  /// reach it.
  private func isOfThisUser(_ connection: Int32, peer: SocketAddress?, _ entrance: Entrance) -> Bool {
    switch entrance {
    case .origin, .network: return false
    case .proxy:
      guard peer?.isLoopback ?? true, let user = peerUsers.user(of: connection, from: peer) else { return false }
      return user == CurrentUser.effectiveID || user == CurrentUser.root
    }
  }

  /// The client's connection goes on as another object.
  func replace(by successor: any ShardConnection) {
    connections[successor.id] = successor
  }

  func connectionDidEnd(_ connection: any ShardConnection) {
    if connections.removeValue(forKey: connection.id) != nil { activity.countClient(-1) }
    if isShuttingDown {
      finishIfDrained()
    } else if !isAccepting {
      isAccepting = true
      for listener in listeners { listener.resume() }
    }
  }

  /// Has the task of an exchange begin: now, unless the recorder lags behind and is to lose nothing.
  func start(_ task: SessionTask, of draft: RecordDraft) {
    guard recorder.lagsBehind || !heldBack.isEmpty else { return task.resume() }
    let isFirst = heldBack.isEmpty
    heldBack.append(task, of: draft, at: .now)
    guard isFirst else { return }
    let shard = LoopBound(self, on: loop)
    recorder.awaitRoom { shard.loop.execute { shard.value.releaseHeldBack() } }
  }

  private func releaseHeldBack() {
    for task in heldBack.removeAll(at: .now) { task.resume() }
  }

  /// Records an exchange that has ended. Its entry is made when the turn's output has left: somebody may wait for that, and
  /// nobody for an entry.
  func record(_ draft: RecordDraft) {
    if !heldBack.isEmpty { heldBack.remove(draft, at: .now) }
    guard !draft.lend({ $0.isForProxy }) || configuration.recordsOwnPages else { return }
    recorder.record(draft)
    guard !isHandOnDue else { return }
    isHandOnDue = true
    loop.enqueueLast(self)
  }

  /// Records an exchange that never became a task: its timeline is made of its marks alone.
  func recordLocal(_ draft: RecordDraft, at now: MonotonicInstant) {
    draft.lend { record in
      if record.failure != nil { record.marks.stamp(.failed, at: now) }
      record.timeline = .local(from: record.started ?? now, to: now)
    }
    record(draft)
  }

  /// The exchange goes on without its client, which is done.
  func keep(_ exchange: ForwardedExchange) {
    deliveries[ObjectIdentifier(exchange)] = exchange
  }

  func deliveryDidEnd(_ exchange: ForwardedExchange) {
    deliveries[ObjectIdentifier(exchange)] = nil
    if isShuttingDown { finishIfDrained() }
  }

  /// In order of arrival.
  func exchangesInFlight() -> [ExchangeRecord] {
    // An exchange is either in flight or recorded.
    recorder.handOn()
    let now = MonotonicInstant.now
    let held = gate?.exchangesInFlight(at: now) ?? []
    let kept = deliveries.values.compactMap { $0.recordSoFar(at: now) }
    return (held + kept + connections.values.flatMap { $0.exchangesInFlight(at: now) }).sorted { $0.id < $1.id }
  }

  // MARK: Shutting down

  /// Stops accepting, lets exchanges end for the grace period, then cancels them; calls `whenDone` when no client is left.
  func shutdown(gracePeriod: Duration, whenDone: @escaping @Sendable () -> Void) {
    whenDrained = whenDone
    for listener in listeners { listener.close() }
    listeners = []
    neighbours = []
    nameRelay?.close()
    gate?.close()
    packetQueue?.close()
    for connection in connections.values { connection.closeIfIdle() }
    let timer = Timer(loop: loop) { [unowned self] in
      for connection in connections.values { connection.abort() }
      for exchange in deliveries.values { exchange.giveUpDelivery() }
      finishIfDrained()
    }
    timer.start(after: gracePeriod)
    grace = timer
    finishIfDrained()
  }

  /// A connection that was held back is not there any more.
  func heldConnectionDidEnd() {
    if isShuttingDown { finishIfDrained() }
  }

  private func finishIfDrained() {
    guard connections.isEmpty, deliveries.isEmpty, gate?.isEmpty ?? true, let done = whenDrained, grace != nil else { return }
    grace?.cancel()
    grace = nil
    transport.shutdown()
    finishTurn()
    done()
  }
}

extension LoopShard: EndOfTurnWorker {
  func finishTurn() {
    isHandOnDue = false
    recorder.handOn()
  }
}

/// A client's connection, as its shard knows it, in any version of HTTP. Loop-bound.
protocol ShardConnection: AnyObject {
  var id: UInt64 { get }
  /// The exchanges and tunnels whose request is here, as far as they have come.
  func exchangesInFlight(at instant: MonotonicInstant) -> [ExchangeRecord]
  /// Shutdown has begun: the connection ends now, or when its exchanges have ended.
  func closeIfIdle()
  /// Ends all exchanges and tunnels, which are recorded, and the connection.
  func abort()
}

/// The text of the `Date` field (IMF-fixdate, RFC 9110 5.6.7), made anew at most once a second. Loop-bound.
struct HTTPDate {
  private var second: Int64 = .min
  private var text = ""

  /// The date at `instant`, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`.
  mutating func text(at instant: MonotonicInstant) -> String {
    let now = WallClockAnchor.process.unixNanoseconds(at: instant) / 1_000_000_000
    if now != second {
      second = now
      text = CivilDate(unixSeconds: now).imfFixdate
    }
    return text
  }
}
