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
    switch machine.inputAction {
    case .exchange:
      receive(bytes, at: instant)
    case .stream:
      receiveStream(bytes, at: instant)
    case .hold(let held):
      guard let task else { return }
      task.metrics.bytesReceived += UInt64(bytes.count)
      task.metrics.marks.move(.responseLastByte, to: instant)
      held.append(bytes)
    case .drain(let left):
      drain(bytes, atMost: left, at: instant)
    case .tunnelResponse:
      receiveTunnelResponse(bytes, at: instant)
    case .leaveStore:
      leaveStore()
    case .endPrepared:
      endPrepared()
    }
  }

  func channelDidReceiveEnd(at instant: MonotonicInstant) {
    switch machine.inputDidEnd() {
    case .endExchange:
      endExchangeAtClose()
    case .wait:
      break
    case .endDraining:
      endDraining(mayPersist: false)
    case .requestTunnelElsewhere:
      requestTunnelElsewhere()
    case .failTunnel:
      fail(.tunnelClosedEarly)
    case .endStreamInput:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .leaveStore:
      leaveStore()
    case .endPrepared:
      endPrepared()
    }
  }

  func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    let action = machine.outputAction
    guard action != .uncounted, let task, let link else { return }
    task.metrics.bytesSent += UInt64(count)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch action {
    case .exchange(let requestEnded):
      task.metrics.marks.move(.sentLast, to: instant)
      if !requestEnded { wait(link.bufferedBytes > 0 ? idleTimeout : nil) }
    case .stream:
      // The peer of a stream does not wait for an end of sending: the first bytes count as the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .nothing, .uncounted:
      break
    }
  }

  func channelDidDrain() {
    switch machine.outputAction {
    case .exchange: pumpBody()
    case .stream: task?.canSendMore()
    case .nothing, .uncounted: break
    }
  }

  func channelDidFail(_ error: TransportError) {
    switch machine.failAction {
    case .fail(in: let phase): fail(error.at(.upstream, phase))
    case .failHandshake: handshakeDidFail(error.at(.upstream, .tls))
    case .endDraining: endDraining(mayPersist: false)
    case .leaveStore: leaveStore()
    case .endPrepared: endPrepared()
    case .close: close()
    }
  }

  /// The peer ends the connection, or breaks its framing, while no request is in flight.
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
