package import TapelineTLS

/// A client's TLS handshake with us, as far as the handshake with the origin repeats it.
///
/// A client resumes with us by a ticket that we issued. The ticket names the client connection on which we issued it, its
/// *lineage*. Without us, the client would have resumed by one of the sessions that the origin gave on the connection paired with
/// that client connection.
package struct ClientHandshake: Sendable, Hashable {
  /// Names the sessions that this connection will be given.
  package let lineage: UInt64
  /// The lineage that the client resumed; `nil` when it made a full handshake.
  package let resumed: UInt64?
  /// The protocols that ALPN offers to the origin: the client's, without those that are not spoken here. Empty: no ALPN.
  package let applicationProtocols: [ApplicationProtocol]

  package init(lineage: UInt64, resumed: UInt64?, applicationProtocols: [ApplicationProtocol]) {
    self.lineage = lineage
    self.resumed = resumed
    self.applicationProtocols = applicationProtocols
  }
}
