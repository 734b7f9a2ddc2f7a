internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime

extension Channel {
  /// Consecutive reads from one channel whose input fills the buffer, before others get their turn.
  private static let readsPerReadiness = 4

  // MARK: Pausing

  /// Leaves input in the kernel, so that the peer's window closes. Idempotent.
  ///
  /// Costs nothing by itself: the loop only acts when input arrives meanwhile.
  package func pauseReading() {
    loop.assertCurrent()
    isReadingPaused = true
  }

  /// Reads again; the loop delivers input that has arrived meanwhile, not inside this call. Idempotent.
  package func resumeReading() {
    loop.assertCurrent()
    isReadingPaused = false
    if machine.wantsInput { readEvent?.add() }
  }

  // MARK: Reading

  /// The result of a read.
  private enum Input {
    /// So many bytes, in the loop's buffer.
    case bytes(Int)
    /// The peer's FIN.
    case end
    case failure(SystemCallError)
    case nothing
  }

  func didBecomeReadable() {
    noteActivity()
    for _ in 0..<Self.readsPerReadiness {
      guard machine.wantsInput, !isReadingPaused else {
        readEvent?.remove()
        judge.didLeaveBytes()
        return
      }
      guard readOnce() else { return }
    }
  }

  /// Returns whether there may be more input.
  private func readOnce() -> Bool {
    do throws(SystemCallError) {
      // Bytes that come meanwhile are better moved in one go than read in pieces.
      if outlet != nil, try forwardOnce() { return false }
    } catch {
      failNow(LoopError(error))
      return false
    }
    switch read() {
    case .bytes(let count):
      deliver(count)
      return count == InputBuffer.size
    case .end: inputDidEnd()
    case .failure(let error): failNow(LoopError(error))
    case .nothing: break
    }
    return false
  }

  /// One system call, and before it at most two that ask about the bytes (Channel+Arrival). Notes the arrival.
  private func read() -> Input {
    do throws(SystemCallError) {
      let known = try askAboutInput()
      var last: Int64 = 0
      switch try loop.inputBuffer.read(from: socket, stamp: &last) {
      case .done(0): return .end
      case .done(let count):
        noteArrival(of: count, stamp: last, known)
        return .bytes(count)
      case .wouldBlock: return .nothing
      }
    } catch {
      return .failure(error)
    }
  }

  private func deliver(_ count: Int) {
    guard machine.deliversInput, let handler else { return }
    outlet?.plan.didTake(count)
    loop.inputBuffer.withFirst(count) { handler.channelDidReceive($0, at: judge.arrival.last) }
  }

  // MARK: The end

  /// The kernel takes no more of our bytes: delivers the remaining input from the peer. A peer that answers early and closes may
  /// reset the connection while its answer is still in our kernel (RFC 9112 9.6). The end of this input is not an orderly end, so
  /// it is not reported, and a failure is not, as the failed write is reported instead.
  func deliverRest() {
    while machine.deliversInput, !isReadingPaused {
      guard case .bytes(let count) = read() else { return }
      deliver(count)
    }
  }

  private func inputDidEnd() {
    // After its end, a socket stays readable for ever.
    readEvent?.remove()
    endForwarding()
    switch machine.inputDidEnd() {
    case .deliver: handler?.channelDidReceiveEnd(at: .now)
    case .stopReading: break
    case .close: close()
    }
  }
}
