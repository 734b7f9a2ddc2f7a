package import TapelineSystem
package import TapelineTime

/// A byte stream over a connected socket. Loop-bound.
///
/// Reads: one system call per readiness, into the loop's buffer, which the handler borrows. Writes: what a turn produces
/// leaves in one system call when the turn has ended; the loop is asked for writability only after the kernel has refused
/// bytes. So an exchange of two small messages costs each side one read, one write and no `epoll_ctl`.
///
/// From `start()` to its end the loop holds the channel, and the channel its handler. `close()`, `closeAfterFlush()`,
/// `reset()` or a failure end it; forgetting it does not.
package final class Channel {
  package let loop: EventLoop
  /// Whom to tell. Held until the channel is closed.
  package var handler: (any ChannelHandler)?

  private let knownPeer: SocketAddress?
  var machine = StateMachine()
  /// `nil` once closed.
  private var descriptor: FileDescriptor?
  /// The loop's hold on a started channel, which libevent itself has not: its context is unretained.
  private var selfWhileStarted: Channel?

  private var lastTCPInfo: (info: TCPInfo, instant: MonotonicInstant)?

  // Input.
  private var readEvent: EventRegistration?
  private var isReadingPaused = false

  // Output; see Channel+Output.
  var queue = WriteQueue()
  /// Added while `isBlocked`; made when the kernel refuses bytes for the first time.
  var writeEvent: EventRegistration?
  /// Whether the kernel has refused bytes since it last reported writability.
  var isBlocked = false
  /// Whether the loop will call `attend` at the end of this turn.
  var isAwaitingAttention = false
  var hasReachedHighWater = false
  /// What the kernel has taken and the handler does not know yet.
  var unreportedCount = 0
  var unreportedInstant = MonotonicInstant(nanoseconds: 0)
  /// What a write inside a handler's own call ran into.
  var unreportedFailure: LoopError?
  /// Bounds how long a channel goes on after its owner has left.
  private var patience: Timer?
  var bounds = EndingBounds()

  /// Reads in a row from one channel whose input fills the buffer, before others get their turn.
  private static let readsPerReadiness = 4

  /// Takes ownership of a connected, non-blocking socket. `peer` saves asking the kernel.
  package init(loop: EventLoop, descriptor: consuming FileDescriptor, peer: SocketAddress? = nil) {
    loop.preconditionCurrent()
    self.loop = loop
    self.descriptor = consume descriptor
    knownPeer = peer
  }

  deinit {
    assert(!machine.isOpen, "a channel was dropped without being closed")
  }

  /// Begins to read. Once, when the handler is set.
  package func start() {
    loop.assertCurrent()
    precondition(readEvent == nil && machine.isOpen, "a channel is started once, before it is closed")
    selfWhileStarted = self
    readEvent = unsafe EventRegistration(
      on: loop.base, .readable(socket), callback: channelIsReadable, context: Unmanaged.passUnretained(self).toOpaque())
    if !isReadingPaused { readEvent?.add() }
  }

  // MARK: Questions

  package var isOpen: Bool { machine.isOpen }

  /// Our end of the connection.
  package var localAddress: SocketAddress? {
    guard machine.isOpen else { return nil }
    do throws(SystemCallError) {
      return try SystemCalls.localAddress(of: socket)
    } catch {
      return nil
    }
  }

  /// The other end.
  package var peerAddress: SocketAddress? {
    if let knownPeer { return knownPeer }
    guard machine.isOpen else { return nil }
    do throws(SystemCallError) {
      return try SystemCalls.peerAddress(of: socket)
    } catch {
      return nil
    }
  }

  /// What the kernel knows of the connection; `nil` once closed, or when the socket is not TCP.
  package func tcpInfo() -> TCPInfo? {
    loop.assertCurrent()
    guard machine.isOpen else { return nil }
    do throws(SystemCallError) {
      return try SystemCalls.tcpInfo(of: socket)
    } catch {
      return nil
    }
  }

  /// What the kernel knew of the connection a moment ago: it is asked at most a hundred times a second, because the question
  /// costs as much as a tenth of a small exchange and the answers are averages over many round trips.
  package func recentTCPInfo(at now: MonotonicInstant) -> TCPInfo? {
    if let last = lastTCPInfo, now.nanoseconds(since: last.instant) < Self.tcpInfoNanoseconds { return last.info }
    guard let info = tcpInfo() else { return nil }
    lastTCPInfo = (info, now)
    return info
  }

  private static let tcpInfoNanoseconds: Int64 = 10_000_000

  /// Valid while open.
  var socket: Int32 {
    guard let socket = descriptor?.rawValue else { preconditionFailure("a closed channel has no socket") }
    return socket
  }

  // MARK: Input

  /// Leaves input in the kernel, so that the peer's window closes. Idempotent.
  ///
  /// Costs nothing by itself: the loop is told only when input comes meanwhile.
  package func pauseReading() {
    loop.assertCurrent()
    isReadingPaused = true
  }

  /// Reads again; what has come meanwhile is delivered by the loop, not inside this call. Idempotent.
  package func resumeReading() {
    loop.assertCurrent()
    isReadingPaused = false
    if machine.wantsInput { readEvent?.add() }
  }

  func didBecomeReadable() {
    for _ in 0..<Self.readsPerReadiness {
      guard machine.wantsInput, !isReadingPaused else {
        readEvent?.remove()
        return
      }
      guard readOnce() else { return }
    }
  }

  /// Whether more may be there.
  private func readOnce() -> Bool {
    do throws(SystemCallError) {
      switch try unsafe SystemCalls.read(socket, into: loop.receiveBuffer) {
      case .done(0):
        inputDidEnd()
        return false
      case .done(let count):
        if machine.deliversInput, let handler {
          let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.receiveBuffer[..<count])
          handler.channelDidReceive(unsafe Span(_unsafeBytes: bytes), at: .now)
        }
        return count == EventLoop.receiveBufferSize
      case .wouldBlock:
        return false
      }
    } catch {
      failNow(LoopError(error))
      return false
    }
  }

  /// The kernel takes no more of our bytes: delivers what it still has of the peer's. Who answers early and closes may reset the
  /// connection, and its answer lies here (RFC 9112 9.6). That nothing follows is no orderly end, so it is not told.
  func deliverRest() {
    do throws(SystemCallError) {
      while machine.deliversInput, !isReadingPaused, let handler {
        guard case .done(let count) = try unsafe SystemCalls.read(socket, into: loop.receiveBuffer), count > 0 else { return }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: loop.receiveBuffer[..<count])
        handler.channelDidReceive(unsafe Span(_unsafeBytes: bytes), at: .now)
      }
    } catch {
      // What is told is why nothing could be written.
    }
  }

  private func inputDidEnd() {
    // The end stays readable for ever.
    readEvent?.remove()
    switch machine.inputDidEnd() {
    case .deliver: handler?.channelDidReceiveEnd(at: .now)
    case .stopReading: break
    case .close: close()
    }
  }

  // MARK: Ending

  /// Ends both directions at once; bytes that wait are dropped. Idempotent.
  package func close() {
    loop.assertCurrent()
    guard machine.close() else { return }
    // The events go before the descriptor they watch.
    readEvent = nil
    writeEvent = nil
    descriptor.take()?.discard()
    queue.removeAll()
    patience = nil
    unreportedFailure = nil
    handler = nil
    selfWhileStarted = nil
  }

  /// The owner leaves: what waits is written, FIN sent, and input discarded until the peer's FIN, so that no reset overtakes
  /// our last bytes. Writes are still reported, and a failure to write them; input is not. Each step is bounded in time.
  package func closeAfterFlush() {
    loop.assertCurrent()
    guard machine.leave() else { return }
    precondition(readEvent != nil, "a channel is started before it is flushed")
    resumeReading()
    bePatient(bounds.flushNanoseconds)
    requestAttention()
  }

  /// Ends both directions at once and tells the peer that this is no orderly end (RST). Idempotent.
  package func reset() {
    loop.assertCurrent()
    guard machine.isOpen else { return }
    resetOnClose()
    close()
  }

  /// Reports `error` and closes. Not inside a handler's own call.
  func failNow(_ error: LoopError) {
    switch machine.fail() {
    case .report:
      handler?.channelDidFail(error)
      close()
    case .close:
      close()
    case .nothing:
      break
    }
  }

  /// How long a channel goes on after its owner has left.
  struct EndingBounds {
    /// With bytes that wait, of which the kernel takes none.
    var flushNanoseconds: Int64 = 30_000_000_000
    /// After our FIN, until the peer's.
    var lingerNanoseconds: Int64 = 2_000_000_000
  }

  func lingerForPeer() {
    handler = nil
    bePatient(bounds.lingerNanoseconds)
  }

  func flushMadeProgress() {
    if patience != nil { bePatient(bounds.flushNanoseconds) }
  }

  private func bePatient(_ nanoseconds: Int64) {
    let timer = patience ?? Timer(loop: loop) { [unowned self] in runOutOfPatience() }
    patience = timer
    timer.start(afterNanoseconds: nanoseconds)
  }

  private func runOutOfPatience() {
    // A peer that reads nothing shall not keep our bytes in the kernel either.
    if machine.mayWrite { resetOnClose() }
    failNow(LoopError(.timedOut, "the peer took no more bytes"))
  }

  private func resetOnClose() {
    do throws(SystemCallError) {
      try SystemCalls.resetOnClose(socket)
    } catch {
      // A connection that is gone needs no reset.
    }
  }
}
