package import TapelineBase

/// The HAR phases of one exchange, in nanoseconds, computed from its marks alone.
///
/// Phases are differences of *neighbouring* marks after clamping the marks to be non-decreasing, so none is negative and
/// their sum is exactly the time from the first phase's start to the last phase's end. `nil` means that the phase did not
/// happen (HAR's −1). The mark `failed` closes the current phase. `docs/timeline.md` has the picture.
package struct ExchangePhases: Sendable, Hashable {
  package var blocked: Int64 { blockedParts.total }
  /// Who spent the time in `blocked`.
  package let blockedParts: BlockedTime
  package let dns: Int64?
  /// Includes `ssl`, and the tunnel through an upstream proxy.
  package let connect: Int64?
  /// Lies inside `connect`; not part of the sum.
  package let ssl: Int64?
  package let send: Int64
  package let wait: Int64
  package let receive: Int64

  /// A phase by its name; the parts of `blocked` are apart.
  package subscript(phase: Phase) -> Int64? {
    switch phase {
    case .client: blockedParts.client
    case .proxy: blockedParts.proxy
    case .blocked: blockedParts.connection
    case .dns: dns
    case .connect: connect
    case .ssl: ssl
    case .send: send
    case .wait: wait
    case .receive: receive
    }
  }

  /// `blocked + dns + connect + send + wait + receive`, without those that did not happen and without `ssl`.
  package var total: Int64 {
    blocked + (dns ?? 0) + (connect ?? 0) + send + wait + receive
  }

  /// - Parameters:
  ///   - now: for an exchange that has not ended, the instant at which its phases, including the current one, end.
  ///   - isTunnel: the first bytes to the server are the client's, which sends them when it likes.
  package init(_ marks: TimelineMarks, until now: MonotonicInstant? = nil, isTunnel: Bool = false) {
    self = marks.read { Self($0, held: marks.held, until: now, isTunnel: isTunnel) }
  }

  private init(
    _ instant: (TimelineMark) -> MonotonicInstant?, held: Int64, until now: MonotonicInstant?, isTunnel: Bool
  ) {
    let failed = instant(.failed) ?? now
    let paidForTunnel = instant(.tunnelHeadEnd) != nil
    var edge = Edge(at: instant(.tunnelHeadEnd) ?? instant(.requestHeadEnd))

    var blocked = BlockedTime()
    // Between the marks of peers, the time is ours, but for what we were held up.
    var between = edge.advance(to: instant(.queued))
    let opened = instant(.dnsStart) ?? instant(.connectStart) ?? instant(.sentFirst)
    if let opened {
      between += edge.advance(to: opened)
    } else if instant(.queued) != nil {
      blocked.connection = edge.advance(to: failed)
    } else {
      between += edge.advance(to: failed)
    }
    dns = instant(.dnsStart) == nil ? nil : edge.advance(to: instant(.dnsEnd) ?? failed)

    if instant(.dnsEnd) != nil { between += edge.advance(to: instant(.connectStart)) }
    var connect = instant(.connectStart) == nil ? nil : edge.advance(to: instant(.connectEnd) ?? failed)
    if let tcp = connect, let start = instant(.proxyConnectStart) {
      between += edge.advance(to: start)
      connect = tcp + edge.advance(to: instant(.proxyConnectEnd) ?? failed)
    }
    // The connection that a CONNECT opened waits for the client's hello and, once secured, for its request.
    if paidForTunnel, connect != nil { blocked.client += edge.advance(to: instant(.clientTLSStart)) }
    if let tcp = connect, let start = instant(.tlsStart) {
      between += edge.advance(to: start)
      let end = instant(.tlsEnd) ?? failed
      let whole = tcp + edge.advance(to: end)
      connect = whole
      ssl = end.map { min(max(0, $0.nanoseconds(since: start)), whole - tcp) }
    } else {
      ssl = nil
    }
    self.connect = connect
    if paidForTunnel { blocked.client += edge.advance(to: instant(.requestHeadEnd)) }
    if !isTunnel { between += edge.advance(to: instant(.sentFirst)) }
    let waited = min(between, held)
    blocked.connection += waited
    blocked.proxy = between - waited
    blockedParts = blocked

    send = instant(.sentFirst) == nil ? 0 : edge.advance(to: instant(.sentLast) ?? failed)
    wait = instant(.sentFirst) == nil ? 0 : edge.advance(to: instant(.responseFirstByte) ?? failed)
    receive = instant(.responseFirstByte) == nil ? 0 : edge.advance(to: failed ?? instant(.responseLastByte))
  }
}

/// Who spent the time before an exchange's request went out that was neither lookup nor connecting, in nanoseconds: none of it
/// is the server's.
package struct BlockedTime: Sendable, Hashable {
  /// The client's own: for the first exchange in a tunnel, up to its hello (it may read a bundle of authorities first), and from
  /// the moment when the server was ready until its request.
  package var client: Int64 = 0
  /// The proxy's own: all time between the marks above that neither peer took, up to the first byte to the server.
  package var proxy: Int64 = 0
  /// Waiting for a connection, or for an attempt on another one that was lost.
  package var connection: Int64 = 0

  package init() {}

  package var total: Int64 { client + proxy + connection }
}

/// The instant up to which the exchange's time has been assigned to phases. It never goes back.
private struct Edge {
  var at: MonotonicInstant?

  /// Assigns the time up to `instant` to the calling phase, and returns it in nanoseconds; 0 without an instant.
  mutating func advance(to instant: MonotonicInstant?) -> Int64 {
    guard let instant else { return 0 }
    let start = at ?? instant
    guard instant > start else {
      at = start
      return 0
    }
    at = instant
    return instant.nanoseconds(since: start)
  }
}
