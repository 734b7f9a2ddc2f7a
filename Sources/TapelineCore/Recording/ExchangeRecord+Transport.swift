package import TapelineLoop
package import TapelineTime
package import TapelineTransport

extension ExchangeRecord {
  /// Takes over what the transport measured: the last attempt's marks, its connection, how many attempts there were.
  package mutating func adopt(_ metrics: TaskMetrics) {
    marks.adopt(.queued ... .responseLastByte, from: metrics.marks)
    server = metrics.connection.map { Peer($0) }
    attempts = metrics.attempts
    requestForwarding = metrics.forwarding
  }

  /// Takes over the marks of an attempt that is still under way.
  package mutating func adoptMarks(_ metrics: TaskMetrics) {
    marks.adopt(.queued ... .responseLastByte, from: metrics.marks)
  }

  /// The first octet of the request at the proxy, or the earliest that is known: where the entry begins, and its timeline.
  package var started: MonotonicInstant? {
    marks[.requestFirstByte] ?? marks[.requestHeadEnd] ?? marks[.accepted] ?? marks[.failed]
  }

  /// The phase that is under way, by its name in the log, judged by the marks so far.
  package var reachedPhase: String {
    if marks[.responseFirstByte] != nil { return "receive" }
    if let sent = marks[.sentLast] { return marks[.requestLastByte].map { $0 > sent } == true ? "send" : "wait" }
    if marks[.tlsStart] != nil, marks[.tlsEnd] == nil { return "tls" }
    if marks[.connectEnd] != nil { return "send" }
    if marks[.connectStart] != nil { return "connect" }
    return marks[.dnsStart] == nil ? "request" : "dns"
  }
}

extension ExchangeRecord.Peer {
  /// The origin's end, as the transport knows it.
  package init(_ connection: ConnectionInfo) {
    self.init(
      connectionID: connection.id, address: connection.address, port: connection.port, isReused: connection.isReused,
      proxy: connection.proxy, tcp: connection.tcp.map { ExchangeRecord.TCPStatistics($0) })
  }
}

extension ExchangeRecord.TCPStatistics {
  package init(_ info: TCPInfo) {
    self.init(
      rttMicroseconds: info.rttMicroseconds, rttVariationMicroseconds: info.rttVariationMicroseconds,
      minimumRTTMicroseconds: info.minimumRTTMicroseconds, totalRetransmits: info.totalRetransmits,
      congestionWindow: info.congestionWindow, deliveryRate: info.deliveryRate)
  }
}

extension Timeline {
  /// The timeline of an exchange that never left the proxy.
  package static func local(from start: MonotonicInstant, to end: MonotonicInstant) -> Timeline {
    let anchor = WallClockAnchor.process
    let ended = anchor.absoluteTime(at: end)
    return Timeline(
      requestStartTime: anchor.absoluteTime(at: start), initialResponseTime: ended, requestCompletedTime: ended,
      serializationCompletedTime: ended)
  }
}
