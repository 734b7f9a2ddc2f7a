package import TapelineHTTP
package import TapelineHTTP2

/// A request as it goes on the wire in an attempt.
///
/// A class because it never changes and consists largely of references: it is passed along, not copied.
package final class OutgoingRequest: Sendable {
  package let head: RequestHead
  /// The request as it came, if its client speaks HTTP/2: an origin that speaks it too gets these lines.
  package let http2: HTTP2RequestHead?
  package let framing: BodyFraming
  package let route: Route
  /// The value of `Host`, or of `:authority`; `nil`: the client's.
  package let host: String?
  package let sender: Sender
  /// The client's `Upgrade` goes on to the origin, and a 101 makes the task a stream (RFC 9110 7.8).
  package let allowsUpgrade: Bool
  /// Carries the attempt if it is still open when the attempt begins.
  package let prepared: PreparedConnection?
  /// The connections that carry the request; `nil`: those that all tasks share.
  package let connections: PairedConnections?
  /// Whether the client speaks HTTP/2 in clear without having asked (RFC 9113 3.3), so that the origin is spoken to likewise.
  package let priorKnowledge: Bool

  package init(
    head: RequestHead, http2: HTTP2RequestHead? = nil, framing: BodyFraming, route: Route, host: String? = nil,
    sender: Sender = .client,
    allowsUpgrade: Bool = false, prepared: PreparedConnection? = nil, connections: PairedConnections? = nil,
    priorKnowledge: Bool = false
  ) {
    self.head = head
    self.http2 = http2
    self.framing = framing
    self.route = route
    self.host = host
    self.sender = sender
    self.allowsUpgrade = allowsUpgrade
    self.prepared = prepared
    self.connections = connections
    self.priorKnowledge = priorKnowledge
  }

  /// Whether it opens a stream of bytes by an extended CONNECT (RFC 8441 4).
  package var isExtendedConnect: Bool { http2?.protocol != nil }

  /// Whether it may end in a 101, which HTTP/2 does not have (RFC 9113 8.6).
  var needsHTTP1: Bool { allowsUpgrade && !isExtendedConnect }

  /// The same request, with its content framed in another way.
  func framed(by framing: BodyFraming) -> OutgoingRequest {
    OutgoingRequest(
      head: head, http2: http2, framing: framing, route: route, host: host, sender: sender, allowsUpgrade: allowsUpgrade,
      prepared: prepared, connections: connections, priorKnowledge: priorKnowledge)
  }

  /// The process's own request as an origin gets it that speaks HTTP/2.
  ///
  /// - Parameter authority: that of the connection, for a request that does not name it.
  package func headerList(scheme: URIScheme, authority: String) -> HTTP2HeaderList {
    http2?.list ?? HTTP2HeaderList(originated: head, framing: framing, scheme: scheme, authority: authority)
  }

  /// The same request, for a connection that was prepared for it.
  package func carried(by prepared: PreparedConnection) -> OutgoingRequest {
    OutgoingRequest(
      head: head, http2: http2, framing: framing, route: route, host: host, sender: sender, allowsUpgrade: allowsUpgrade,
      prepared: prepared, connections: connections, priorKnowledge: priorKnowledge)
  }

  /// Whose request it is.
  package enum Sender: Sendable {
    /// A client of the proxy: the request is forwarded.
    case client
    /// The process itself.
    case ourselves
  }

  /// Whether a second attempt can send the very same bytes without asking anybody (RFC 9110 9.2.2).
  package var isReplayable: Bool {
    head.method.isIdempotent && (framing == .none || framing == .length(0))
  }
}

/// How long one task may take, where that differs from the transport's configuration.
package struct TaskTimeouts: Hashable, Sendable {
  /// The longest silence: while the name is looked up and connected to, before the response, between its bytes.
  package var request: Duration?
  /// From the task's beginning to its end, redirections and the transport's retries included.
  package var resource: Duration?

  package init(request: Duration? = nil, resource: Duration? = nil) {
    self.request = request
    self.resource = resource
  }

  /// If a number is not positive, or too large to count, there is no limit.
  package init(requestSeconds: Double?, resourceSeconds: Double?) {
    self.init(request: Self.duration(seconds: requestSeconds), resource: Self.duration(seconds: resourceSeconds))
  }

  private static func duration(seconds: Double?) -> Duration? {
    // A century: beyond it the sum with an instant might not fit.
    guard let seconds, seconds > 0, seconds < 3e9 else { return nil }
    return .nanoseconds(max(1, Int64(seconds * 1e9)))
  }
}
