internal import TapelineCore
internal import TapelineHTTP
internal import TapelineLoop
internal import TapelineTLS
internal import TapelineBase
internal import TapelineTime
internal import TapelineTransport

/// The tunnel that a client connection is in, when its bytes are read and not just relayed. Loop-bound.
///
/// It keeps what opening it took until somebody reports that: the first request that comes through it, or an entry of its own.
final class InterceptedTunnel {
  private unowned let shard: LoopShard
  /// The host that the client means: the one in its hello, or in the CONNECT.
  private let name: String
  /// Where its requests go.
  let route: Route
  /// The same destination, by the name for which the server must have a certificate.
  let destination: Route
  let implied: ImpliedOrigin
  /// TLS with the client; `nil` where the tunnel carries plain HTTP.
  private var security: Security?
  /// The connection to the origin that the CONNECT opened, until a request takes it.
  private var prepared: PreparedConnection?
  /// The costs of opening the tunnel, until they are reported.
  private var opening: ExchangeRecord?
  private let watch: OriginWatch

  private struct Security {
    let engine: TLSEngine
    /// The client that sent the hello.
    let client: TLSClient
    /// The fingerprint of its hello.
    let kinship: HelloFingerprint
    var details: TLSDetails
    /// When the client's handshake was complete.
    var securedAt: MonotonicInstant?
    /// Why nothing is read, if the client has turned our certificate down and is believed.
    var refused: UnreadReason?
  }

  /// A client that hangs up later than this after the handshake did not do so because of the certificate.
  private static let suspicion = Duration.seconds(2)

  /// A tunnel that carries plain HTTP, or to which requests come without one.
  ///
  /// - Parameter opening: `nil` where nothing had to be opened.
  init(to route: Route, opening: ExchangeRecord?, prepared: PreparedConnection?, shard: LoopShard) {
    self.shard = shard
    name = route.host
    self.route = route
    self.opening = opening
    self.prepared = prepared
    destination = Self.destination(of: route)
    implied = ImpliedOrigin(scheme: route.security == .none ? .http : .https, authority: destination.authority)
    watch = OriginWatch(shard)
    watchOrigin()
  }

  /// A tunnel in which we act, by `engine`, as the server that the client means. That server is offered `protocols`.
  init(_ opening: Opening, engine: TLSEngine, offering protocols: [ApplicationProtocol], shard: LoopShard) {
    self.shard = shard
    name = opening.name
    route = opening.route
    self.opening = opening.record
    prepared = opening.prepared
    destination = Self.destination(of: route)
    implied = ImpliedOrigin(scheme: route.security == .none ? .http : .https, authority: destination.authority)
    var details = TLSDetails(opening.hello)
    details.passedProtocols = protocols.map(\.name)
    security = Security(engine: engine, client: opening.client, kinship: opening.hello.kinship, details: details)
    watch = OriginWatch(shard)
    watchOrigin()
  }

  // MARK: The connection to the origin

  private func watchOrigin() {
    prepared?.onEvent = { [watch] event in watch.note(event) }
  }

  /// Has `action` called, once, when the origin has chosen a protocol, cannot choose any, or has taken too long; not after the
  /// client has left. Call it before `secureUpstream`.
  func awaitOrigin(_ action: @escaping (ProtocolMirror.Answer) -> Void) { watch.awaitChoice(action) }

  /// Begins TLS with the origin, during the client's handshake.
  func secureUpstream(following handshake: ClientHandshake?) {
    guard case .tls(let serverName) = route.security, let prepared, prepared.isUsable else {
      return watch.originDidAnswer(.missing)
    }
    prepared.startTLS(serverName: serverName, following: handshake)
  }

  /// Whether the origin takes extended CONNECTs, as far as it has said so.
  var offersExtendedConnect: Bool { prepared?.offersExtendedConnect ?? false }

  /// Has `action` called, once, when the origin has said in HTTP/2 whether it takes extended CONNECTs, or has taken too long.
  /// Returns whether it may still say so; if not, `action` is not called.
  func awaitSettings(_ action: @escaping (_ offersExtendedConnect: Bool) -> Void) -> Bool {
    guard let prepared, prepared.awaitsSettings else { return false }
    watch.awaitSettings(action)
    return true
  }

  /// The step when the origin ends the connection before a request has taken it.
  var onPeerEnd: (() -> Void)? {
    get { watch.onPeerEnd }
    set { watch.onPeerEnd = newValue }
  }

  /// Whether the origin has ended the connection before anybody used it.
  var hasLostOrigin: Bool { prepared?.isLost ?? false }

  func takePrepared() -> PreparedConnection? {
    prepared?.onEvent = nil
    return prepared.take()
  }

  // MARK: The client's handshake

  func handshakeDidEnd(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    opening?.marks.stamp(.clientTLSEnd, at: instant)
    security?.securedAt = instant
    security?.details.adopt(parameters)
  }

  /// Records the tunnel.
  func handshakeDidFail(_ error: TransportError, _ failure: TLSError?) {
    if let failure { security?.details.adopt(failure, peer: "client") }
    var comment: String?
    if security?.engine.hasSentCertificate == true {
      if case .alert(let name) = error.kind {
        comment = noteRefusal(.alert(name), at: .now)
      } else if error.kind == .closed || error.kind == .reset {
        comment = noteRefusal(.silence, at: .now)
      }
    }
    recordWithoutRequest(
      ExchangeRecord.Failure(origin: .client, phase: .tls, kind: .transport(error.kind), message: error.message), comment)
  }

  /// The client ends a secure connection without a request: some clients look at a certificate only after the handshake.
  func suspectRefusal(at instant: MonotonicInstant, alert: String? = nil) {
    guard opening != nil, let secured = security?.securedAt else { return }
    let refusal: ClientTrust.Refusal
    if let alert {
      security?.details.alert = TLSDetails.Alert(name: alert, origin: "client")
      refusal = .alert(alert)
    } else {
      guard instant.duration(since: secured) < Self.suspicion else { return }
      refusal = .silence
    }
    guard let comment = noteRefusal(refusal, at: instant) else { return }
    recordWithoutRequest(
      ExchangeRecord.Failure(
        origin: .client, phase: .tls, kind: .transport(alert.map { .alert($0) } ?? .closed),
        message: "the client ended the connection after our certificate, without a request"),
      comment)
  }

  /// Notes that the client does not want our certificate. Answers the comment for the record; `nil` when the refusal is not
  /// believed, or makes no difference.
  private func noteRefusal(_ refusal: ClientTrust.Refusal, at instant: MonotonicInstant) -> String? {
    guard let client = security?.client, let interception = shard.configuration.interception else { return nil }
    let comment = interception.noteRefusal(refusal, by: client, of: name, at: instant)
    if comment != nil || !interception.failsOpen { security?.refused = refusal.reason(of: client) }
    return comment
  }

  /// The origin wants a certificate that only the client has. Answers the comment for the record.
  func noteCertificateDemand(_ manner: String, at instant: MonotonicInstant) -> String? {
    guard let security, let interception = shard.configuration.interception else { return nil }
    return interception.noteCertificateDemand(manner, by: name, of: security.client, kinship: security.kinship, at: instant)
  }

  // MARK: Records

  /// Adds the tunnel's data to a request that came through it. The first request also reports what opening the tunnel took.
  func note(in record: inout ExchangeRecord) {
    record.implied = implied
    record.clientTLS = security?.details
    guard let opening = opening.take() else { return }
    record.pay(for: opening)
    if let client = security?.client { shard.configuration.interception?.clients.noteAcceptance(by: client, of: name) }
  }

  /// The tunnel is not read after all: somebody else reports it. Its connection to the origin is given up.
  func giveUp() -> ExchangeRecord? {
    prepared = nil
    return opening.take()
  }

  /// A tunnel that was opened and never used is an entry too.
  func recordUnused() {
    recordWithoutRequest(nil, "no request came through the tunnel")
  }

  /// Records the opening of the tunnel, unless a request has reported it.
  func recordWithoutRequest(_ failure: ExchangeRecord.Failure?, _ comment: String?) {
    guard var record = opening.take() else { return }
    record.kind = .tunnel(toServer: 0, toClient: 0)
    record.unread = security?.refused ?? record.unread
    record.failure = failure
    record.clientTLS = security?.details
    record.comment = comment ?? record.comment
    shard.recordLocal(RecordDraft(record), at: .now)
  }
}

// MARK: - How it is opened

extension InterceptedTunnel {
  /// The facts known when a connection is about to be intercepted.
  struct Opening {
    /// The record of the CONNECT.
    private(set) var record: ExchangeRecord
    /// Where the CONNECT leads.
    let target: Route
    let hello: ClientHello
    let client: TLSClient
    /// When the first byte of the hello came.
    let began: MonotonicInstant?
    /// The connection that the CONNECT opened; `nil` when there was none.
    let prepared: PreparedConnection?
    /// Where the client's address leads, and the name by which the client has found it, if that is known before its hello.
    var origin: (route: Route, address: String)?

    init(
      record: ExchangeRecord, target: Route, hello: ClientHello, client: TLSClient, began: MonotonicInstant?,
      prepared: PreparedConnection?
    ) {
      self.record = record
      self.target = target
      self.hello = hello
      self.client = client
      self.began = began
      self.prepared = prepared
    }

    /// The name that the certificate must be for.
    var name: String { hello.host(inTunnelTo: origin?.address ?? target.host) }

    /// Where the requests go.
    var route: Route { origin?.route ?? target.secured(serverName: name) }

    /// The engine for the client's handshake, with a certificate for the name; the record notes what that took.
    ///
    /// - Throws: if no certificate can be made.
    mutating func makeEngine(
      by interception: Interception, lineage: UInt64, issuesTickets: Bool, holdsProtocol: Bool, holdsHello: Bool,
      at instant: MonotonicInstant
    ) throws -> TLSEngine {
      let name = name
      if !hello.namesHost, record.comment == nil {
        record.comment =
          "the client's server name \(hello.serverName?.debugDescription ?? "") is not a host: tapeline uses \(name), where the tunnel leads"
      }
      record.marks.stamp(.clientTLSStart, at: began ?? instant)
      let (credentials, minting) = try interception.certificates.credentials(for: name)
      let engine = try TLSEngine(
        server: interception.context, credentials: credentials, lineage: lineage, issuesTickets: issuesTickets,
        holdsProtocol: holdsProtocol, holdsHello: holdsHello)
      record.mintingNanoseconds = minting
      return engine
    }

    /// Records that there is no certificate.
    mutating func fail(_ error: any Error, recordedBy shard: LoopShard) {
      record.clientTLS = TLSDetails(hello)
      record.failure = ExchangeRecord.Failure(
        origin: .local, phase: .tls, kind: .noCertificate, message: "no certificate for \(name): \(error)")
      shard.recordLocal(RecordDraft(record), at: .now)
    }
  }
}

extension ExchangeRecord {
  /// Makes this record, of the first exchange in a tunnel, report what opening the tunnel took: it begins where the tunnel began.
  mutating func pay(for opening: ExchangeRecord) {
    if let began = opening.marks[.requestFirstByte] {
      marks.move(.requestFirstByte, to: began)
      marks.bound(.accepted, by: began)
    }
    if let headEnd = opening.marks[.requestHeadEnd] { marks.stamp(.tunnelHeadEnd, at: headEnd) }
    marks.adopt(.clientTLSStart ... .clientTLSEnd, from: opening.marks)
    // If the request goes out by another connection after all, that connection's marks will replace these.
    marks.adopt(.queued ... .tlsEnd, from: opening.marks)
    server = opening.server
    mintingNanoseconds = opening.mintingNanoseconds
    comment = opening.comment
    lookup = opening.lookup
  }
}

// MARK: - Where it leads

/// The destination that a request inside a tunnel names. The request goes where the tunnel leads; but the server may take it for
/// another host's request, so a rule about that host applies to it.
extension InterceptedTunnel {
  /// Where a tunnel leads, by the name for which the server must have a certificate, or else by the name in the CONNECT.
  static func destination(of route: Route) -> Route {
    guard case .tls(let serverName) = route.security, serverName != route.host else { return route }
    return Route(host: serverName, port: route.port, security: route.security, reach: route.reach)
  }

  /// The destination that the request names, if the tunnel does not lead there.
  func otherDestination(namedBy head: RequestHead) -> Route? {
    let named: Route
    switch head.target {
    case .absolute(let target):
      named = Route(host: target.host, port: target.port, security: route.security, reach: route.reach)
    case .origin, .asterisk:
      guard let host = head.fields.first(of: .host), host != implied.authority, let authority = Authority(host),
        !authority.host.isEmpty
      else { return nil }
      named = Route(
        host: authority.host, port: authority.port ?? route.security.defaultPort, security: route.security, reach: route.reach)
    case .authority:
      return nil
    }
    return named.host == destination.host && named.port == destination.port ? nil : named
  }
}
