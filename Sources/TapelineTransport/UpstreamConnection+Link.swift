internal import TapelineLoop
internal import TapelineTLS
internal import TapelineTime

extension UpstreamConnection: SecureChannelHandler {
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant) {
    handshakeDidEnd(parameters, at: instant)
  }

  func channelDidReceive(session: TLSSession) {
    if let clientHandshake {
      transport.configuration.lineages.put(session, of: clientHandshake, to: route)
    } else {
      transport.sessions.put(session, for: route)
    }
  }

  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging:
      receive(bytes, at: instant)
    case .streaming:
      receiveStream(bytes, at: instant)
    case .deciding(let held):
      // At most what had been read when reading was paused.
      guard let task else { return }
      task.metrics.bytesReceived += UInt64(bytes.count)
      task.metrics.marks.move(.responseLastByte, to: instant)
      held.append(bytes)
    case .draining(let left):
      drain(bytes, atMost: left, at: instant)
    case .tunnelling:
      receiveTunnelResponse(bytes, at: instant)
    case .idle:
      // Nobody asked: the connection's framing can no longer be trusted.
      leaveStore()
    case .prepared:
      endPrepared()
    case .connecting, .securing, .closed:
      preconditionFailure("a link delivered bytes before it stood or after it was closed")
    }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    receivedEnd = true
    switch phase {
    case .exchanging:
      endExchangeAtClose()
    case .deciding:
      break
    case .draining:
      endDraining(mayPersist: false)
    case .tunnelling(let isChallenged):
      tunnelDidEnd(isChallenged: isChallenged)
    case .streaming:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .idle:
      leaveStore()
    case .prepared:
      endPrepared()
    case .connecting, .securing, .closed:
      preconditionFailure("a link ended before it stood or after it was closed")
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    if case .tunnelling = phase { return }
    guard let task, let link else { return }
    task.metrics.bytesSent += UInt64(count)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch phase {
    case .exchanging:
      task.metrics.marks.move(.sentLast, to: instant)
      if !progress.requestEnded { wait(link.bufferedBytes > 0 ? idleTimeout : nil) }
    case .streaming:
      // A stream has no end of sending that the peer waits for: the first bytes stand for the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .connecting, .tunnelling, .securing, .prepared, .idle, .deciding, .draining, .closed:
      break
    }
  }

  func channelDidDrain() {
    switch phase {
    case .exchanging:
      pumpBody()
    case .streaming:
      task?.canSendMore()
    case .connecting, .tunnelling, .securing, .prepared, .idle, .deciding, .draining, .closed:
      break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch phase {
    case .idle:
      leaveStore()
    case .exchanging, .deciding, .streaming:
      fail(error.at(.upstream, reached))
    case .draining:
      endDraining(mayPersist: false)
    case .tunnelling:
      fail(error.at(.upstream, .connect))
    case .securing:
      handshakeDidFail(error.at(.upstream, .tls))
    case .prepared:
      endPrepared()
    case .connecting, .closed:
      close()
    }
  }

  /// The peer ends the connection, or breaks its framing, while nothing is asked of it.
  private func leaveStore() {
    let store = store
    close()
    store?.peerDidEnd(self)
  }

  private func endPrepared() {
    close()
    onPeerEnd.take()?()
  }
}
