internal import TapelineSystem
internal import TapelineText
internal import TapelineTime

// Reading: the loop has the channels with input take it from the kernel, and then has them deliver it (`JointInput`). What fills
// the buffer is read on by the channel itself.
extension Channel {
  /// What the first step has brought for the second.
  enum Input {
    /// Bytes in this place of the loop's buffer.
    case bytes(Range<Int>)
    /// The peer's FIN.
    case end
    case failure(SystemCallError)
    case nothing
    /// The second step is to take it: it may go past this program, or comes after other input.
    case untaken
  }

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
    if !heldInput.isEmpty { requestAttention() }
    if machine.wantsInput { readEvent?.add() }
  }

  // MARK: The two steps

  /// Takes what waits into the loop's buffer, from `start` on.
  func takeInput(at start: Int) -> Input {
    guard machine.isOpen else { return .nothing }
    noteActivity()
    guard readsOn() else { return .nothing }
    return outlet == nil && heldInput.isEmpty ? read(at: start) : .untaken
  }

  /// Meanwhile other handlers have run: they may have paused the channel, or ended it.
  func deliver(_ input: Input) {
    switch input {
    case .bytes(let place) where isReadingPaused: hold(place)
    // The kernel says it again when the channel reads again.
    case .end where isReadingPaused: break
    case .untaken: readOn(atMost: Self.readsPerReadiness)
    case .bytes, .end, .failure, .nothing:
      if serve(input) { readOn(atMost: Self.readsPerReadiness - 1) }
    }
  }

  /// Whether input is wanted now. If not, the loop does not look for it any more.
  private func readsOn() -> Bool {
    guard !machine.wantsInput || isReadingPaused else { return true }
    readEvent?.remove()
    judge.didLeaveBytes()
    return false
  }

  /// Each read is served before the next: they may use all of the buffer.
  private func readOn(atMost reads: Int) {
    deliverHeld()
    for _ in 0..<reads {
      guard readsOn(), readOnce() else { return }
    }
  }

  /// Returns whether there may be more input.
  private func readOnce() -> Bool {
    do throws(SystemCallError) {
      // What comes meanwhile is better moved in one go than read in pieces.
      if outlet != nil, try forwardOnce() { return false }
    } catch {
      failNow(LoopError(error))
      return false
    }
    return serve(read(at: 0))
  }

  /// Returns whether there may be more input.
  private func serve(_ input: Input) -> Bool {
    switch input {
    case .bytes(let place):
      loop.inputBuffer.withBytes(place, hand)
      return place.upperBound == InputBuffer.size
    case .end: if machine.wantsInput { inputDidEnd() }
    case .failure(let error): failNow(LoopError(error))
    case .nothing, .untaken: break
    }
    return false
  }

  /// One system call, and before it at most two that ask about the bytes (Channel+Arrival). Notes the arrival.
  private func read(at start: Int) -> Input {
    do throws(SystemCallError) {
      let known = try askAboutInput(at: start)
      var last: Int64 = 0
      switch try loop.inputBuffer.read(from: socket, at: start, stamp: &last) {
      case .done(0): return .end
      case .done(let count):
        noteArrival(of: count, stamp: last, filled: start + count == InputBuffer.size, known)
        return .bytes(start..<start + count)
      case .wouldBlock: return .nothing
      }
    } catch {
      return .failure(error)
    }
  }

  private func hand(_ bytes: Span<UInt8>) {
    guard machine.deliversInput, let handler else { return }
    outlet?.plan.didTake(bytes.count)
    handler.channelDidReceive(bytes, at: judge.arrival.last)
  }

  // MARK: Held input

  private func hold(_ place: Range<Int>) {
    guard machine.deliversInput else { return }
    loop.inputBuffer.withBytes(place) { heldInput.append(bytes: $0) }
  }

  /// The channel reads again.
  func deliverHeld() {
    guard !heldInput.isEmpty, !isReadingPaused else { return }
    let bytes = heldInput
    heldInput = []
    hand(bytes.span)
  }

  // MARK: The end

  /// The kernel takes no more of our bytes: delivers the remaining input from the peer. A peer that answers early and closes may
  /// reset the connection while its answer is still in our kernel (RFC 9112 9.6). The end of this input is not an orderly end, so
  /// it is not reported, and a failure is not, as the failed write is reported instead.
  func deliverRest() {
    deliverHeld()
    while machine.deliversInput, !isReadingPaused {
      guard case .bytes(let place) = read(at: 0) else { return }
      loop.inputBuffer.withBytes(place, hand)
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

/// Takes the input of several channels from the kernel before the first of it is served; see docs/adr/0053.
struct JointInput {
  /// What the channels have taken, in their order.
  private(set) var parts: [Channel.Input] = []

  /// A read is offered as much at least: 64 KiB, which many programs write at once, and a head.
  private static let leastRoom = 72 * 1024

  /// Has the channels take what waits, one behind the other in the loop's buffer, until it has no more room.
  mutating func take(_ channels: some Collection<Channel>) {
    parts.removeAll(keepingCapacity: true)
    var start = 0
    for channel in channels {
      let part = channel.takeInput(at: start)
      parts.append(part)
      switch part {
      case .bytes(let place): start = (place.upperBound + InputBuffer.alignment - 1) & -InputBuffer.alignment
      case .untaken: return
      case .end, .failure, .nothing: break
      }
      if InputBuffer.size - start < Self.leastRoom { return }
    }
  }
}
