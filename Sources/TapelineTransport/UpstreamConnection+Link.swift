internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

extension UpstreamConnection: SecureChannelHandler {
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshakeDidEnd(parameters, at: instant)
  }

  func channelDidReceive(session: TLSSession) {
    transport.sessions.put(session, for: route)
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging:
      receive(bytes, at: instant)
    case .streaming:
      receiveStream(bytes, at: instant)
    case .idle:
      // Nobody asked: the connection's framing can no longer be trusted.
      leavePool()
    case .prepared:
      close()
    case .connecting, .securing, .closed:
      preconditionFailure("a link delivered octets before it stood or after it was closed")
    }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    receivedEnd = true
    switch phase {
    case .exchanging:
      endExchangeAtClose()
    case .streaming:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .idle:
      leavePool()
    case .prepared:
      close()
    case .connecting, .securing, .closed:
      preconditionFailure("a link ended before it stood or after it was closed")
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    guard let task, let link else { return }
    task.metrics.bytesSent += UInt64(count)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch phase {
    case .exchanging:
      task.metrics.marks.move(.sentLast, to: instant)
      if !progress.requestEnded { wait(link.bufferedBytes > 0 ? transport.configuration.idleTimeoutNanoseconds : nil) }
    case .streaming:
      // A stream has no end of sending that the peer waits for: the first octets stand for the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .connecting, .securing, .prepared, .idle, .closed:
      break
    }
  }

  func channelDidDrain() {
    switch phase {
    case .exchanging:
      pumpBody()
    case .streaming:
      task?.canSendMore()
    case .connecting, .securing, .prepared, .idle, .closed:
      break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch phase {
    case .idle:
      leavePool()
    case .exchanging, .streaming:
      fail(error.at(.upstream, reached))
    case .securing:
      handshakeDidFail(error.at(.upstream, .tls))
    case .connecting, .prepared, .closed:
      close()
    }
  }

  private func leavePool() {
    transport.pool.remove(self)
    close()
  }
}
