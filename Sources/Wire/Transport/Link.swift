package import TapelineLoop
package import TapelineSystem
package import TapelineTLS
package import TapelineTime

/// The transport of an HTTP connection: a bare channel, or one with TLS. Both have the same operations, for the price of one
/// branch.
package enum Link {
  case plain(Channel)
  case secure(SecureChannel)

  // MARK: Questions

  /// Bytes that wait to be taken by the kernel, or to be sealed.
  package var bufferedBytes: Int {
    switch self {
    case .plain(let channel): channel.bufferedBytes
    case .secure(let channel): channel.bufferedBytes
    }
  }

  package var isAboveHighWater: Bool {
    switch self {
    case .plain(let channel): channel.isAboveHighWater
    case .secure(let channel): channel.isAboveHighWater
    }
  }

  /// Whether the kernel has refused bytes and has room for none yet.
  package var isBlocked: Bool { channel.isBlocked }

  /// Whether the input ended without close_notify: somebody other than the peer may have cut it off. Always `false` without TLS.
  package var inputIsTruncated: Bool {
    switch self {
    case .plain: false
    case .secure(let channel): channel.inputIsTruncated
    }
  }

  /// Whether the server has asked for a certificate, and got none.
  package var lacksCertificate: Bool {
    switch self {
    case .plain: false
    case .secure(let channel): channel.engine.lacksCertificate
    }
  }

  /// Why TLS failed.
  package var failure: TLSError? {
    switch self {
    case .plain: nil
    case .secure(let channel): channel.failure
    }
  }

  /// Why an evaluator refused the server.
  var evaluationFailure: (any Error)? {
    switch self {
    case .plain: nil
    case .secure(let channel): channel.engine.evaluationFailure
    }
  }

  /// The socket's channel: for what concerns TCP alone.
  private var channel: Channel {
    switch self {
    case .plain(let channel): channel
    case .secure(let channel): channel.channel
    }
  }

  /// From here on `handler` is told of events.
  package func report(to handler: any SecureChannelHandler) {
    switch self {
    case .plain(let channel): channel.handler = handler
    case .secure(let channel): channel.handler = handler
    }
  }

  /// When the bytes that came last came; with TLS, those of their records.
  package var arrival: Arrival {
    switch self {
    case .plain(let channel): channel.arrival
    case .secure(let channel): channel.arrival
    }
  }

  /// Bytes of several messages may come in any order: HTTP/2.
  package func expectInterleavedInput() { channel.expectInterleavedInput() }

  package func tcpStatistics() -> TCPStatistics? { channel.tcpStatistics() }

  package func recentTCPStatistics(at now: MonotonicInstant) -> TCPStatistics? { channel.recentTCPStatistics(at: now) }

  package func beginTCPHistory(at now: MonotonicInstant) -> TCPSample { channel.beginTCPHistory(at: now) }

  package func tcpHistory(since start: TCPSample, at now: MonotonicInstant) -> TCPHistory? {
    channel.tcpHistory(since: start, at: now)
  }

  package func endTCPHistories() { channel.endTCPHistories() }

  // MARK: Input

  package func pauseReading() { channel.pauseReading() }

  package func resumeReading() { channel.resumeReading() }

  // MARK: Output

  package func withOutput<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    switch self {
    case .plain(let channel): try channel.withOutput(body)
    case .secure(let channel): try channel.withOutput(body)
    }
  }

  package func write(_ bytes: Span<UInt8>) {
    switch self {
    case .plain(let channel): channel.write(bytes)
    case .secure(let channel): channel.write(bytes)
    }
  }

  package func write(_ chunk: consuming [UInt8]) {
    switch self {
    case .plain(let channel): channel.write(chunk)
    case .secure(let channel): channel.write(chunk.span)
    }
  }

  package func shutdownOutput() {
    switch self {
    case .plain(let channel): channel.shutdownOutput()
    case .secure(let channel): channel.shutdownOutput()
    }
  }

  // MARK: Ending

  /// Has the output end by a bare FIN, as the input of another connection did. Nothing happens without TLS.
  package func omitCloseNotify() {
    switch self {
    case .plain: break
    case .secure(let channel): channel.omitsCloseNotify = true
    }
  }

  /// - Parameter peerMaySend: `Channel.closeAfterFlush(peerMaySend:)`. Over TLS the peer has its close_notify to send.
  package func closeAfterFlush(peerMaySend: Bool = true) {
    switch self {
    case .plain(let channel): channel.closeAfterFlush(peerMaySend: peerMaySend)
    case .secure(let channel): channel.closeAfterFlush()
    }
  }

  package func close() {
    switch self {
    case .plain(let channel): channel.close()
    case .secure(let channel): channel.close()
    }
  }

  /// Ends both directions by RST. What waits is written first, as far as the kernel takes it.
  package func resetAfterFlush() {
    switch self {
    case .plain(let channel):
      channel.flush()
      channel.reset()
    case .secure(let channel): channel.resetAfterFlush()
    }
  }

  /// See `Channel`.
  package func guardEnd() { channel.guardEnd() }

  package func reset() {
    switch self {
    case .plain(let channel): channel.reset()
    case .secure(let channel): channel.reset()
    }
  }
}
