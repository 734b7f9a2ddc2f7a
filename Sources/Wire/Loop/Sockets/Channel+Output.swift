internal import TapelineSystem
internal import TapelineTime

// Writing: the handler's output is queued, and the loop has the channel write it (`attend`) after the handler has returned. Only
// large amounts go to the kernel at once, since copying them would cost more than a system call.
extension Channel {
  /// From this size on `isAboveHighWater` is true: a producer should stop.
  package static let highWaterMark = 256 * 1024
  /// At this size `channelDidDrain` tells the producer to continue.
  package static let lowWaterMark = 64 * 1024

  /// Bytes that wait.
  package var bufferedBytes: Int { conduitCount + queue.count }

  private var conduitCount: Int { conduit?.count ?? 0 }

  /// Bytes not yet reported by `channelDidWrite`: those that wait, and those that the kernel took in this turn.
  package var unreportedBytes: Int { bufferedBytes + unreportedCount }

  /// While bytes wait in the conduit, a copy of what follows them would have to wait, too.
  package var isAboveHighWater: Bool { queue.count >= Self.highWaterMark || conduitCount > 0 }

  // MARK: Producing

  /// Lets `body` append bytes to the output. Nothing happens once the output has ended.
  ///
  /// `body` must not touch the channel.
  package func withOutput<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    loop.assertCurrent()
    guard machine.acceptsOutput else { return }
    if queue.wantsBuffer { queue.useBuffer(loop.takeSpareBuffer()) }
    defer { didQueue() }
    try queue.append(body)
  }

  /// Writes bytes: a few are copied and leave with the rest of the turn's output; many leave at once, and only the bytes that the
  /// kernel refuses are copied. Nothing happens once the output has ended.
  package func write(_ bytes: Span<UInt8>) {
    loop.assertCurrent()
    guard machine.acceptsOutput, !bytes.isEmpty else { return }
    if bytes.count >= WriteQueue.largeSize, !isBlocked, conduitCount == 0 {
      writeThrough(bytes)
    } else {
      if queue.wantsBuffer { queue.useBuffer(loop.takeSpareBuffer()) }
      queue.append(bytes)
    }
    didQueue()
  }

  /// Writes a chunk; a large one is not copied. Nothing happens once the output has ended.
  package func write(_ chunk: consuming [UInt8]) {
    loop.assertCurrent()
    guard machine.acceptsOutput, !chunk.isEmpty else { return }
    if chunk.count < WriteQueue.largeSize, queue.wantsBuffer { queue.useBuffer(loop.takeSpareBuffer()) }
    queue.append(chunk)
    didQueue()
  }

  /// Hands waiting bytes to the kernel now, as many as it takes, instead of at the end of the turn.
  package func flush() {
    loop.assertCurrent()
    guard machine.mayWrite, !isBlocked, bufferedBytes > 0 else { return }
    do throws(SystemCallError) {
      _ = try writeOnce()
    } catch {
      failLater(error)
    }
    requestAttention()
  }

  /// Ends our direction (FIN) once all waiting bytes have left. Idempotent.
  package func shutdownOutput() {
    loop.assertCurrent()
    if machine.endOutput() { requestAttention() }
  }

  private func didQueue() {
    if isAboveHighWater { hasReachedHighWater = true }
    if !isBlocked { requestAttention() }
  }

  private func writeThrough(_ bytes: Span<UInt8>) {
    do throws(SystemCallError) {
      let waited = queue.count
      let written = try writeOnce(followedBy: bytes)
      queue.append(bytes.extracting(droppingFirst: max(0, written - waited)))
      requestAttention()
    } catch {
      failLater(error)
    }
  }

  // MARK: Looking after the output

  /// Has the loop call `attend` at the end of this turn.
  func requestAttention() {
    guard !isAwaitingAttention else { return }
    isAwaitingAttention = true
    loop.attend(self)
  }

  /// The turn has ended: reports the results of its writes, and writes its remaining output.
  func attend() {
    isAwaitingAttention = false
    reportWrites()
    if let failure = unreportedFailure.take() {
      deliverRest()
      return failNow(failure)
    }
    if !isBlocked { flushAndReport() }
    if isBlocked, machine.mayWrite { handler?.channelIsBlocked() }
    if machine.isDraining { waitForKernel() }
  }

  /// Adds the waiting bytes to those that leave by one call, if they are few. Answers whether it did; then `didSend` or
  /// `failLater` must follow before anybody else is called.
  func join(_ ring: SendRing) -> Bool {
    guard machine.mayWrite, !isBlocked, conduitCount == 0, unreportedCount == 0, unreportedFailure == nil else { return false }
    return queue.withFew { ring.append($0, to: socket) }
  }

  /// The kernel was offered the bytes with which the channel had joined; `attend` reports it.
  ///
  /// - Parameters:
  ///   - began: the channel's share of the call, which took `nanoseconds`.
  ///   - returned: the call.
  func didSend(_ result: IOResult, began: MonotonicInstant, nanoseconds: Int64, returned: MonotonicInstant) {
    let offered = queue.count
    queue.remove(result.count)
    didOffer(
      offered, taken: result.count,
      departed: SendingCall.departure(called: began, nanoseconds: nanoseconds, bytes: result.count), returned: returned)
  }

  func didBecomeWritable() {
    isBlocked = false
    flushAndReport()
    if !isBlocked { writeEvent?.remove() }
  }

  /// Writes the bytes that wait now; bytes that the handler adds meanwhile are left for the next round, so that a fast producer
  /// cannot hold up the loop.
  private func flushAndReport() {
    var due = bufferedBytes
    do throws(SystemCallError) {
      while due > 0, !isBlocked, machine.mayWrite {
        due -= try writeOnce()
        reportWrites()
      }
    } catch {
      deliverRest()
      return failNow(LoopError(error))
    }
    if bufferedBytes == 0 { outputDidDrain() }
    if hasReachedHighWater, conduitCount == 0, queue.count <= Self.lowWaterMark, machine.acceptsOutput {
      hasReachedHighWater = false
      handler?.channelDidDrain()
    }
  }

  private func outputDidDrain() {
    if !queue.wantsBuffer { loop.keepSpareBuffer(queue.takeBuffer()) }
    switch machine.outputDidDrain() {
    case .nothing: break
    case .sendEnd: sendEnd()
    case .sendEndAndLinger:
      sendEnd()
      lingerForPeer()
    case .close:
      releaseEnd()
      close()
    }
  }

  private func sendEnd() {
    releaseEnd()
    do throws(SystemCallError) {
      try SystemCalls.shutdownOutput(socket)
    } catch {
      // The peer has reset the connection; reading will report it.
    }
  }

  private func reportWrites() {
    guard unreportedCount > 0 else { return }
    let count = unreportedCount
    unreportedCount = 0
    flushMadeProgress()
    handler?.channelDidWrite(count, at: unreportedInstant)
  }

  /// The handler is not told inside its own call.
  func failLater(_ error: SystemCallError) {
    if unreportedFailure == nil { unreportedFailure = LoopError(error) }
    requestAttention()
  }

  /// One system call: the conduit, or else the queue, followed by `extra`. Returns how many bytes the kernel took, and asks for
  /// writability if it did not take all. What it took no longer waits.
  private func writeOnce(followedBy extra: Span<UInt8> = Span()) throws(SystemCallError) -> Int {
    let began = MonotonicInstant.now
    let written: Int
    let offered: Int
    if let conduit, conduit.count > 0 {
      offered = conduit.count
      written = try conduit.drain(to: socket).count
      forgetConduit()
    } else {
      let result: IOResult
      (offered, result) = try queue.write(to: socket, followedBy: extra)
      written = result.count
      queue.remove(min(written, queue.count))
    }
    let returned = MonotonicInstant.now
    didOffer(
      offered, taken: written,
      departed: SendingCall.departure(called: began, nanoseconds: returned.nanoseconds(since: began), bytes: written),
      returned: returned)
    return written
  }

  private func didOffer(_ offered: Int, taken written: Int, departed: MonotonicInstant, returned: MonotonicInstant) {
    if written < offered { waitForWritability() }
    guard written > 0 else { return }
    noteActivity()
    unreportedCount += written
    unreportedInstant = departed
    noteDeparture(at: returned)
  }

  private func waitForWritability() {
    isBlocked = true
    if writeEvent == nil {
      writeEvent = EventRegistration(writable: socket, for: self)
    }
    writeEvent?.add()
  }
}

extension IOResult {
  fileprivate var count: Int {
    switch self {
    case .done(let count): count
    case .wouldBlock: 0
    }
  }
}

extension ChannelHandler {
  /// For a handler that waits for its peer anyway.
  package func channelIsBlocked() {}
}
