internal import TapelineCore
internal import TapelineHTTP
internal import TapelineHTTP2
internal import TapelineLoop
internal import TapelineSystem
internal import TapelineTime
internal import TapelineTransport

/// The client at the other end of a connection: what all exchanges of the connection share, whatever version of HTTP carries
/// them. Loop-bound.
final class Client {
  /// The number of its connection.
  let id = ConnectionID.next()
  let shard: LoopShard
  /// The text is made once per connection, not once per exchange.
  let host: String
  private let port: UInt16
  /// The destinations that it may reach.
  let reach: Reach
  /// Whether it is a program of this user, or of root, on this machine.
  let isOfThisUser: Bool
  let isOnThisMachine: Bool
  private let acceptedAt: MonotonicInstant
  /// The tunnel that the requests come through, if they do.
  private(set) var tunnel: InterceptedTunnel?
  /// Requests so far; inside a tunnel, those that came through it.
  private var exchanges = 0
  /// The connections to origins that belong to this client alone; `nil` where all clients share them, or while none was needed.
  private var pairing: PairedConnections?
  /// Is told what becomes of the connections to origins while they carry no request.
  var onOriginEvent: ((PairedConnections.Event) -> Void)? {
    didSet {
      pairing?.onEvent = onOriginEvent
      watchTunnel()
    }
  }
  private var engagement = Engagement.none
  let entrance: Entrance
  /// How it came to us.
  var door: Door
  /// Whether it has ended its side without close_notify: then so do its connections to origins.
  var hasOmittedCloseNotify = false
  /// Whether it speaks HTTP/2 in clear, in a tunnel: so does the origin, then.
  var hasPriorKnowledge = false

  /// - Parameters:
  ///   - peer: `nil` for a client of a local socket.
  ///   - isOfThisUser: whether it is a program of this user, or of root, on this machine. Counts where it comes to the proxy.
  init(
    shard: LoopShard, peer: SocketAddress?, entrance: Entrance = .proxy, isOfThisUser: Bool = false, acceptedAt: MonotonicInstant
  ) {
    self.shard = shard
    self.entrance = entrance
    door = entrance.door
    host = peer?.host ?? "local"
    port = peer?.port ?? 0
    self.acceptedAt = acceptedAt
    isOnThisMachine = peer?.isLoopback ?? true
    self.isOfThisUser = isOfThisUser && isOnThisMachine
    switch entrance {
    case .proxy:
      reach = self.isOfThisUser ? .everywhere : .guarded
    case .origin(let origin):
      // The user has named the origin, not the client.
      reach = .everywhere
      tunnel = InterceptedTunnel(to: origin.route, opening: nil, prepared: nil, shard: shard)
    case .network:
      // It is the user's own command.
      reach = .everywhere
    }
  }

  // MARK: The connections to origins

  /// The connections that carry this client's requests; `nil`: those that all clients share.
  var connections: PairedConnections? {
    if pairing == nil, shard.pairsConnections {
      let connections = PairedConnections()
      connections.onEvent = onOriginEvent
      pairing = connections
    }
    return pairing
  }

  /// Whether the origin's connection has ended without close_notify: then so does the client's.
  var omitsCloseNotify: Bool { pairing?.hasOmittedCloseNotify ?? false }

  /// Whether the client's connection ends with the origin's connection that its only exchange uses: it leads to no other origin.
  var endsWithOrigin: Bool { pairing?.isEmpty ?? false }

  /// From here on, requests come through `tunnel`; the CONNECT did not.
  func enter(_ tunnel: InterceptedTunnel) {
    self.tunnel = tunnel
    watchTunnel()
    exchanges = 0
  }

  private func watchTunnel() {
    tunnel?.onPeerEnd = onOriginEvent.map { tell in { tell(.lastDidEnd) } }
  }

  /// Changes what its connection in HTTP/1, or on the way to it, counts as from now on.
  func engage(_ new: Engagement, at instant: MonotonicInstant? = nil) {
    guard new != engagement else { return }
    shard.activity.move(from: engagement, to: new, at: instant ?? .now)
    engagement = new
  }

  /// The client's connection has ended.
  func leave() {
    tunnel?.recordUnused()
    tunnel = nil
    pairing?.close(omitsCloseNotify: hasOmittedCloseNotify)
  }

  // MARK: Records

  /// The record of a request whose head is here.
  ///
  /// - Parameters:
  ///   - began: when its first byte came; `nil` if it came with the rest.
  ///   - instant: when the head was complete.
  func record(of head: RequestHead, began: MonotonicInstant?, at instant: MonotonicInstant) -> RecordDraft {
    defer { exchanges += 1 }
    return newRecord(head, began: began, at: instant)
  }

  /// - Parameter head: `nil` when the client's bytes are not a request, or not yet.
  func newRecord(_ head: consuming RequestHead?, began: MonotonicInstant?, at instant: MonotonicInstant) -> RecordDraft {
    var marks = TimelineMarks()
    marks.stamp(.accepted, at: acceptedAt)
    marks.stamp(.requestFirstByte, at: began ?? instant)
    if head != nil { marks.stamp(.requestHeadEnd, at: instant) }
    // The kernel accepts before the loop does.
    marks.bound(.accepted, by: began ?? instant)
    let draft = RecordDraft(
      id: ExchangeID.next(),
      client: ExchangeRecord.Peer(connectionID: id, address: host, port: port, isReused: exchanges > 0),
      door: door,
      request: head,
      bodyLimit: shard.configuration.maxBody,
      marks: marks)
    tunnel?.note(in: &draft.record)
    draft.takeOff()
    return draft
  }

  /// Records a request whose head did not come completely.
  func recordUnfinishedRequest(_ failure: ExchangeRecord.Failure, began: MonotonicInstant?) {
    let now = MonotonicInstant.now
    let draft = newRecord(nil, began: began, at: now)
    draft.record.failure = failure
    shard.recordLocal(draft, at: now)
  }

  /// Records what the client sent in HTTP/2 that is no request.
  ///
  /// - Parameters:
  ///   - stream: the stream that was refused; `nil`: the connection was.
  ///   - code: by which the client was told.
  func recordRefusal(_ failure: ExchangeRecord.Failure, of stream: HTTP2StreamID?, with code: HTTP2ErrorCode) {
    let now = MonotonicInstant.now
    let draft = newRecord(nil, began: nil, at: now)
    draft.record.failure = failure
    draft.record.http2 = HTTP2Details(
      clientStream: stream, stream: nil, request: nil, response: nil,
      clientReset: StreamMetrics.Reset(code: code, who: .local))
    shard.recordLocal(draft, at: now)
  }
}

/// Numbers the process's exchanges in order of arrival.
enum ExchangeID {
  static func next() -> UInt64 { ProcessNumber.nextExchange() }
}
