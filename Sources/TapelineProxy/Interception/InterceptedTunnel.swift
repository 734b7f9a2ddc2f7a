internal import TapelineCore
internal import TapelineHTTP
internal import TapelineTime
internal import TapelineTransport

/// The tunnel that a client connection is in, when its bytes are read and not just relayed. Loop-bound.
final class InterceptedTunnel {
  /// The host that the client means: the one in its hello, or in the CONNECT.
  let name: String
  /// The client that sent the hello; `nil` where the tunnel carries plain HTTP.
  var client: TLSClient?
  /// Whether the client has turned our certificate down, and is believed.
  var isRefused = false
  /// Where its requests go.
  let route: Route
  /// The same destination, by the name for which the server must have a certificate.
  let destination: Route
  let implied: ImpliedOrigin
  /// TLS with the client; `nil` where the tunnel carries plain HTTP.
  var clientTLS: TLSDetails?
  /// The connection to the origin that the CONNECT opened, until a request takes it.
  private var prepared: PreparedConnection?
  /// What opening the tunnel took: the first request reports it, or an entry of its own if no request comes.
  private(set) var opening: ExchangeRecord?
  /// When the client's handshake was complete.
  var securedAt: MonotonicInstant?

  init(name: String, route: Route, opening: ExchangeRecord, prepared: PreparedConnection?) {
    self.name = name
    self.route = route
    self.opening = opening
    self.prepared = prepared
    destination = Self.destination(of: route)
    implied = ImpliedOrigin(scheme: route.security == .none ? .http : .https, authority: destination.authority)
  }

  /// Begins TLS with the origin, during the client's handshake.
  func secureUpstream(following handshake: ClientHandshake?) {
    guard case .tls(let serverName) = route.security else { return }
    prepared?.startTLS(serverName: serverName, following: handshake)
  }

  /// Sets what to do when the origin ends the connection before a request has taken it.
  func onPeerEnd(_ action: @escaping () -> Void) {
    prepared?.onPeerEnd = action
  }

  /// Whether the origin has ended the connection before anybody used it.
  var hasLostOrigin: Bool { prepared.map { !$0.isUsable } ?? false }

  func takePrepared() -> PreparedConnection? { prepared.take() }

  func takeOpening() -> ExchangeRecord? { opening.take() }

  func noteHandshake(_ mark: TimelineMark, at instant: MonotonicInstant) {
    opening?.marks.stamp(mark, at: instant)
  }
}

extension ExchangeRecord {
  /// Makes this record, of the first exchange in a tunnel, report what opening the tunnel took: it begins where the tunnel began.
  mutating func pay(for opening: ExchangeRecord) {
    if let began = opening.marks[.requestFirstByte] { marks.move(.requestFirstByte, to: began) }
    if let headEnd = opening.marks[.requestHeadEnd] { marks.stamp(.tunnelHeadEnd, at: headEnd) }
    marks.adopt(.clientTLSStart ... .clientTLSEnd, from: opening.marks)
    // If the request goes out by another connection after all, that connection's marks will replace these.
    marks.adopt(.queued ... .tlsEnd, from: opening.marks)
    server = opening.server
    mintingNanoseconds = opening.mintingNanoseconds
    comment = opening.comment
  }
}
