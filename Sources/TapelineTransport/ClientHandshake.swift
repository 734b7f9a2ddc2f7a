package import TapelineTLS

/// What a client did in its TLS handshake with us, as far as the handshake with the origin repeats it.
///
/// A client resumes with us by a ticket of ours. The ticket names the client connection on which we gave it out, its *lineage*: the
/// sessions that the origin gave on the connection paired with that one are what the client would have resumed by without us.
package struct ClientHandshake: Sendable, Hashable {
  /// Names the sessions that this connection will be given.
  package let lineage: UInt64
  /// The lineage that the client resumed; `nil` when it made a full handshake.
  package let resumed: UInt64?
  /// What ALPN offers to the origin: what the client offered, without the protocols that are not spoken here. Empty: no ALPN.
  package let applicationProtocols: [ApplicationProtocol]

  package init(lineage: UInt64, resumed: UInt64?, applicationProtocols: [ApplicationProtocol]) {
    self.lineage = lineage
    self.resumed = resumed
    self.applicationProtocols = applicationProtocols
  }
}
