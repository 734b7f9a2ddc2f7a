internal import TapelineTLS

/// A connection that stands and has carried nothing: what its opening leaves to whoever carries with it.
struct OpenedConnection {
  let route: Route
  let leadsToProxy: Bool
  let link: Link
  let info: ConnectionInfo
  let handshake: HandshakeOutcome?
  /// The protocols that ALPN offered to the origin; `nil`: none.
  let offered: [ApplicationProtocol]?
  /// The handshake of the client whose connection this one is paired with, if that client speaks TLS with us.
  let clientHandshake: ClientHandshake?
  /// The places of which it has one, until it ends.
  let places: ConnectionPlaces?
}
