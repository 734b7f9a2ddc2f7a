package import TapelineHTTP
internal import TapelineLoop
public import TapelineSystem
internal import TapelineTLS
package import TapelineTime

/// One attempt at one exchange: the instants of its events, its connection, and how many bytes it moved.
public struct TransactionMetrics: Sendable {
  /// When the task began: offsets count from there.
  let began: MonotonicInstant
  package private(set) var marks: TimelineMarks
  package let connection: ConnectionInfo?
  package let handshake: HandshakeOutcome?
  private(set) var bytes: ByteCounts
  /// The request; `nil` if the request is only passed on.
  package let request: RequestHead?
  let status: Int
  let isHTTP2: Bool

  init(
    began: MonotonicInstant, marks: TimelineMarks, connection: ConnectionInfo?, handshake: HandshakeOutcome?, bytes: ByteCounts,
    request: RequestHead?, status: Int, isHTTP2: Bool
  ) {
    self.began = began
    self.marks = marks
    self.connection = connection
    self.handshake = handshake
    self.bytes = bytes
    self.request = request
    self.status = status
    self.isHTTP2 = isHTTP2
  }

  /// More content came after the task had gone on with another transaction.
  mutating func didDrain(_ count: Int, at instant: MonotonicInstant) {
    bytes.responseBody += UInt64(count)
    marks.move(.responseLastByte, to: instant)
  }

  // MARK: What was exchanged

  /// The method of the request, where the request is the process's own.
  public var requestMethod: String? { request?.method.rawValue }

  /// The URL of the request, without credentials and fragment.
  public var requestURL: String? {
    switch request?.target {
    case .absolute(let target): target.sanitizedText
    case .origin, .asterisk, .authority, nil: nil
    }
  }

  /// The status of the final response; `nil` when none came.
  public var statusCode: Int? { status == 0 ? nil : status }

  /// Bytes of the request's head, as they were sent.
  public var requestHeaderBytes: UInt64 { bytes.requestHead }

  /// Bytes of the request's body that were handed to the connection, without chunked framing.
  public var requestBodyBytes: UInt64 { bytes.requestBody }

  /// Bytes of the response's head, and of the interim responses before it.
  public var responseHeaderBytes: UInt64 { bytes.responseHead }

  /// Bytes of the response's body as they came: without chunked framing, before content codings are undone.
  public var responseBodyBytes: UInt64 { bytes.responseBody }

  // MARK: The connection

  /// Whether an earlier exchange had used the connection. If so, there was no lookup and no connecting.
  public var isReusedConnection: Bool { connection?.isReused ?? false }

  /// Whether the connection leads to an upstream proxy.
  public var isProxyConnection: Bool { connection?.proxy != nil }

  /// The protocol that the exchange was made in, by its name in ALPN: `http/1.1`, `h2`, or `h2c` for HTTP/2 in clear; `nil` when
  /// there was no connection.
  public var networkProtocolName: String? {
    guard connection != nil else { return nil }
    return isHTTP2 ? handshake == nil ? "h2c" : "h2" : "http/1.1"
  }

  /// Our address on the connection.
  public var localAddress: String? { connection?.local?.host }

  /// Our port.
  public var localPort: UInt16? { connection?.local?.port }

  /// The address that answered: the upstream proxy's where there is one.
  public var remoteAddress: String? { connection?.address }

  /// The port that answered.
  public var remotePort: UInt16? { connection?.port }

  /// Such as `TLSv1.3`; `nil` without TLS.
  public var tlsProtocolVersion: String? { handshake?.parameters?.version.name }

  /// The cipher suite's name in IANA's registry; `nil` without TLS.
  public var tlsCipherSuite: String? { handshake?.parameters?.cipher }

  /// Whether the handshake resumed an earlier session; `nil` without TLS.
  public var tlsIsResumed: Bool? { handshake?.parameters?.isResumed }

  /// The kernel's figures of the connection when it had just been made.
  public var tcpAtConnect: TCPStatistics? { connection?.tcpAtConnect }

  /// The kernel's figures of the connection at the end of the transaction.
  public var tcpAtEnd: TCPStatistics? { connection?.tcp }
}

/// The instants of a transaction's events. An event that did not happen has no instant: no lookup for an address, no connecting
/// on a reused connection.
extension TransactionMetrics {
  /// The transaction was given to the transport.
  public var fetchStart: MetricsInstant? { instant(.queued) }

  /// The name's lookup began.
  public var domainLookupStart: MetricsInstant? { instant(.dnsStart) }

  /// The name's addresses were known, or known not to exist.
  public var domainLookupEnd: MetricsInstant? { instant(.dnsEnd) }

  /// The first SYN was sent.
  public var connectStart: MetricsInstant? { instant(.connectStart) }

  /// The TCP connection was open, to the origin or to the upstream proxy.
  public var connectEnd: MetricsInstant? { instant(.connectEnd) }

  /// The upstream proxy was asked for a tunnel.
  public var proxyConnectStart: MetricsInstant? { instant(.proxyConnectStart) }

  /// The tunnel through the upstream proxy was open.
  public var proxyConnectEnd: MetricsInstant? { instant(.proxyConnectEnd) }

  /// The TLS handshake began.
  public var secureConnectionStart: MetricsInstant? { instant(.tlsStart) }

  /// The TLS handshake ended.
  public var secureConnectionEnd: MetricsInstant? { instant(.tlsEnd) }

  /// The first bytes of the request left.
  public var requestStart: MetricsInstant? { instant(.sentFirst) }

  /// The last bytes of the request left.
  public var requestEnd: MetricsInstant? { instant(.sentLast) }

  /// The first byte of the final response came.
  public var responseStart: MetricsInstant? { instant(.responseFirstByte) }

  /// The head of the final response was complete.
  public var responseHeadEnd: MetricsInstant? { instant(.responseHeadEnd) }

  /// The last byte of the response came.
  public var responseEnd: MetricsInstant? { instant(.responseLastByte) }

  var lastInstant: MetricsInstant? {
    TimelineMark.allCases.compactMap { instant($0) }.max()
  }

  private func instant(_ mark: TimelineMark) -> MetricsInstant? {
    marks[mark].map { MetricsInstant(instant: $0, began: began) }
  }
}

/// An instant of a task, on a clock that is never stepped.
public struct MetricsInstant: Hashable, Comparable, Sendable {
  package let instant: MonotonicInstant
  private let began: MonotonicInstant

  package init(instant: MonotonicInstant, began: MonotonicInstant) {
    self.instant = instant
    self.began = began
  }

  /// Time since the task began: differences of offsets are exact.
  public var offset: Duration { .nanoseconds(instant.nanoseconds(since: began)) }

  /// The time of day, in seconds since 2001-01-01T00:00:00Z.
  public var timeIntervalSinceReferenceDate: Double { WallClockAnchor.process.absoluteTime(at: instant) }

  /// Whether `left` came first.
  public static func < (left: MetricsInstant, right: MetricsInstant) -> Bool {
    left.instant < right.instant
  }
}
