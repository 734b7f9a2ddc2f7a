internal import TapelineTime

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
