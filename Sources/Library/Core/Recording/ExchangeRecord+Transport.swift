package import TapelineHTTP2
package import TapelineTime
package import TapelineTransport

extension ExchangeRecord {
  /// Takes over the transport's measurements: the last attempt's marks, its connection, how many attempts there were, and how the
  /// request was forwarded. What counts references is moved, not copied.
  package mutating func adopt(_ metrics: inout TaskMetrics) {
    marks.adopt(.queued ... .responseLastByte, from: metrics.marks)
    if let connection = metrics.connection.take() { server = Peer(consume connection) } else { server = nil }
    attempts = metrics.attempts
    requestForwarding = metrics.forwarding.take()
  }

  /// Takes over the transport's measurements, TLS with the origin included.
  package mutating func adoptWithTLS(_ metrics: inout TaskMetrics) {
    adopt(&metrics)
    if let handshake = metrics.handshake { serverTLS = TLSDetails(handshake) }
  }

  /// Takes over what became of the stream to the origin.
  package mutating func note(_ stream: StreamMetrics, response: HTTP2ResponseHead?) {
    http2 = HTTP2Details(clientStream: nil, stream: stream, request: nil, response: response?.list)
  }

  /// Takes over the data of a stream after a 101.
  package mutating func adopt(_ stream: UpgradedStream) {
    relayed = stream.relayed
    webSocketMessages = stream.messages
    arrivals = stream.others
    webSocketMessageCount = stream.messageCount
  }

  /// Whether the exchange ended before it was complete, with or without fault.
  package var isBrokenOff: Bool { failure != nil || endedByClient != nil }

  package var isInFlight: Bool { inFlightAt != nil }

  /// When the first byte of the request reached the proxy, or the earliest known instant: the start of the entry and of its
  /// timeline.
  package var started: MonotonicInstant? {
    marks[.requestFirstByte] ?? marks[.requestHeadEnd] ?? marks[.accepted] ?? marks[.failed]
  }
}

extension ExchangeRecord.Peer {
  /// The origin's end of the connection, as the transport knows it.
  package init(_ connection: consuming ConnectionInfo) {
    self.init(
      connectionID: connection.id, address: connection.address, port: connection.port, isReused: connection.isReused,
      proxy: connection.proxy, tcp: connection.tcp, tcpHistory: connection.tcpHistory)
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
