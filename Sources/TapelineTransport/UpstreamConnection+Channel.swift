internal import TapelineLoop
internal import TapelineTime

extension UpstreamConnection: ChannelHandler {
  func channel(_ channel: Channel, didReceive bytes: Span<UInt8>, at instant: MonotonicInstant) {
    switch phase {
    case .exchanging:
      receive(bytes, at: instant)
    case .streaming:
      receiveStream(bytes, at: instant)
    case .idle:
      // Nobody asked: the connection's framing can no longer be trusted.
      leavePool()
    case .connecting, .closed:
      preconditionFailure("a channel delivered octets before it was started or after it was closed")
    }
  }

  private func receiveStream(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    guard let task, let channel else { return }
    task.metrics.bytesReceived += UInt64(bytes.count)
    task.metrics.marks.stamp(.responseFirstByte, at: instant)
    task.metrics.marks.move(.responseLastByte, to: instant)
    if task.didReceive(bytes, at: instant) == .pause { channel.pauseReading() }
  }

  func channelDidReceiveEnd(_ channel: Channel, at instant: MonotonicInstant) {
    receivedEnd = true
    switch phase {
    case .exchanging:
      endExchangeAtClose()
    case .streaming:
      task?.didReceiveEnd()
      endStreamIfComplete()
    case .idle:
      leavePool()
    case .connecting, .closed:
      preconditionFailure("a channel ended before it was started or after it was closed")
    }
  }

  func channel(_ channel: Channel, didWrite count: Int, at instant: MonotonicInstant) {
    guard let task else { return }
    task.metrics.bytesSent += UInt64(count)
    task.metrics.marks.stamp(.sentFirst, at: instant)
    switch phase {
    case .exchanging:
      task.metrics.marks.move(.sentLast, to: instant)
      if !progress.requestEnded { wait(channel.bufferedBytes > 0 ? transport.configuration.idleTimeoutNanoseconds : nil) }
    case .streaming:
      // A stream has no end of sending that the peer waits for: the first octets stand for the request.
      task.metrics.marks.stamp(.sentLast, at: instant)
    case .connecting, .idle, .closed:
      break
    }
  }

  func channelDidDrain(_ channel: Channel) {
    switch phase {
    case .exchanging:
      pumpBody()
    case .streaming:
      task?.canSendMore()
    case .connecting, .idle, .closed:
      break
    }
  }

  func channel(_ channel: Channel, didFail error: TransportError) {
    switch phase {
    case .idle:
      leavePool()
    case .exchanging, .streaming:
      fail(error.at(.upstream, reached))
    case .connecting, .closed:
      close()
    }
  }

  private func leavePool() {
    transport.pool.remove(self)
    close()
  }
}
