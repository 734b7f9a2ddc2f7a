internal import TapelineLoop
internal import TapelineTime

/// Bytes both ways, not looked at, with half-close in each direction: a tunnel, or the stream after a 101.
extension UpstreamConnection {
  func beginStream(of task: SessionTask) {
    machine.beginStream()
    task.didOpenStream()
  }

  /// The origin has switched protocols (RFC 9110 7.8); the bytes of `early` came after its head.
  func becomeStream(of task: SessionTask, early: Span<UInt8>, at instant: MonotonicInstant) {
    machine.beginStream()
    wait(nil)
    task.didUpgrade()
    if !early.isEmpty { deliver(early, at: instant) }
  }

  func receiveStream(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    task?.metrics.bytesReceived += UInt64(bytes.count)
    deliver(bytes, at: instant)
  }

  private func deliver(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    // The first callback may have cancelled the task.
    guard machine.isStreaming, let task, let link else { return }
    task.metrics.marks.stamp(.responseFirstByte, at: instant)
    task.metrics.marks.move(.responseLastByte, to: instant)
    if task.didReceive(bytes, at: instant) == .pause { link.pauseReading() }
    guard machine.isStreaming else { return }
    forwardMore(of: task, on: link, after: bytes.count, atMost: nil)
  }

  func send(_ bytes: Span<UInt8>) -> Demand {
    guard machine.isStreaming, let link else { return .more }
    link.write(bytes)
    return link.isAboveHighWater ? .pause : .more
  }

  func finishSending() {
    guard machine.endStreamOutput() else { return }
    if task?.omitsCloseNotify == true { link?.omitCloseNotify() }
    link?.shutdownOutput()
    endStreamIfComplete()
  }

  func endStreamIfComplete() {
    guard machine.streamIsComplete, let task, link != nil else { return }
    measure()
    self.task = nil
    closeAfterFlush()
    task.complete(with: nil)
  }

  /// Takes the connection from a stream task that has not used it. No callback is made inside this call: the task completes
  /// later.
  func detach(_ task: SessionTask) -> DetachedStream? {
    guard machine.streamIsUntouched, self.task === task, let link, link.bufferedBytes == 0 else { return nil }
    guard task.metrics.bytesSent == 0, task.metrics.bytesReceived == UInt64(task.returnedInput.count) else { return nil }
    measure()
    self.task = nil
    task.carrier = nil
    guard let opened = handBack() else { return nil }
    let opening = UpstreamOpening(of: opened, task.metrics.marks, returning: task.returnedInput, transport: transport)
    loop.enqueueLocal { task.complete(with: nil) }
    return DetachedStream(connection: PreparedConnection(opening), metrics: task.metrics)
  }
}
