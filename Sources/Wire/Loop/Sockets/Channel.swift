package import TapelineSystem
package import TapelineTime

/// A byte stream over a connected socket. Loop-bound.
///
/// Reads: one system call per readiness, into the loop's buffer, which the handler borrows. Writes: the output of a turn leaves
/// at the end of the turn, with that of other channels (`JointOutput`) or in a system call of its own; the channel asks the loop
/// for writability only after the kernel has refused bytes. So an exchange of two small messages costs each side one read, at
/// most one write and no `epoll_ctl`.
///
/// From `start()` to its end the loop holds the channel, and the channel holds its handler. `close()`, `closeAfterFlush()`,
/// `reset()` or a failure end it; dropping the reference does not.
package final class Channel {
  package let loop: EventLoop
  /// The object that gets the events. Held until the channel is closed.
  package var handler: (any ChannelHandler)?

  private let knownPeer: SocketAddress?
  var machine = StateMachine()
  /// `nil` once closed.
  private var descriptor: FileDescriptor?
  // Its place among the channels that the loop serves, from `start()` to its end.
  private var next: Channel?
  private unowned var previous: Channel?

  // The kernel's figures of the connection; see Channel+TCP.
  var lastStatistics: (value: TCPStatistics, instant: MonotonicInstant)?
  /// While a history is wanted.
  var series: TCPSeries?
  /// Its place in the loop's sampler, while it is there.
  var samplerPlace: Int?
  /// Whether bytes have moved since the last sample.
  var isActive = false
  /// Whether the kernel must be asked to probe the peer once the connection rests.
  var owesProbes = false

  // Input; see Channel+Input.
  var readEvent: EventRegistration?
  var isReadingPaused = false
  private var isEndGuarded = false
  /// When bytes came.
  var judge: ArrivalJudge

  /// Where input goes that is not read; see Channel+Forwarding.
  var outlet: Outlet?

  // Output; see Channel+Output.
  var queue = WriteQueue()
  /// Bytes from another channel, which go out before the queue.
  var conduit: Conduit?
  /// Added while `isBlocked`; made when the kernel first refuses bytes.
  var writeEvent: EventRegistration?
  /// Whether the kernel has refused bytes since it last reported writability.
  package internal(set) var isBlocked = false
  /// Whether the loop will call `attend` at the end of this turn.
  var isAwaitingAttention = false
  var hasReachedHighWater = false
  /// Bytes that the kernel has taken, not yet reported to the handler.
  var unreportedCount = 0
  var unreportedInstant: MonotonicInstant
  /// The failure of a write that the handler made in a call of its own.
  var unreportedFailure: LoopError?
  /// Limits how long a channel continues after its owner has left.
  private var patience = Patience()

  /// A client's first bytes may have waited for so long for us to accept their connection.
  private static let acceptingNanoseconds: Int64 = 1_000_000_000

  /// Takes ownership of a connected, non-blocking socket. A given `peer` saves a question to the kernel.
  package init(loop: EventLoop, descriptor: consuming FileDescriptor, peer: SocketAddress? = nil) {
    loop.preconditionCurrent()
    self.loop = loop
    self.descriptor = consume descriptor
    knownPeer = peer
    let now = MonotonicInstant.now
    judge = ArrivalJudge(now: now, floor: now.advanced(byNanoseconds: -Self.acceptingNanoseconds))
    unreportedInstant = now
  }

  deinit {
    assert(!machine.isOpen, "a channel was dropped without being closed")
  }

  /// Starts reading. Call it once, when the handler is set.
  package func start() {
    loop.assertCurrent()
    precondition(readEvent == nil && machine.isOpen, "a channel is started once, before it is closed")
    enlist()
    readEvent = EventRegistration(readable: socket, for: self)
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

  /// Valid while open.
  var socket: Int32 {
    guard let socket = descriptor?.rawValue else { preconditionFailure("a closed channel has no socket") }
    return socket
  }

  // MARK: Ending

  /// Ends both directions at once and drops waiting bytes. Idempotent.
  package func close() {
    loop.assertCurrent()
    guard machine.close() else { return }
    end()?.discard()
  }

  /// Ends the channel, but not the connection: somebody else serves the socket from now on, and first writes the bytes that
  /// wait. Nothing more is reported. `nil` once the output has ended.
  package func handOver() -> HandedOverSocket? {
    loop.assertCurrent()
    guard machine.acceptsOutput, machine.close() else { return nil }
    let waiting = (conduit?.takeBytes() ?? []) + queue.waiting
    guard let descriptor = end() else { preconditionFailure("an open channel has a socket") }
    return HandedOverSocket(descriptor: descriptor, waiting: waiting)
  }

  /// Takes the closed channel from the loop.
  private func end() -> FileDescriptor? {
    loop.sampler.remove(self)
    let wasStarted = readEvent != nil
    // The events are removed before the descriptor that they watch.
    readEvent = nil
    writeEvent = nil
    endForwarding()
    conduit.take()?.close()
    queue.removeAll()
    patience.end()
    unreportedFailure = nil
    handler = nil
    defer { if wasStarted { delist() } }
    return descriptor.take()
  }

  /// Has the loop hold the channel, because libevent does not: its context is unretained.
  private func enlist() {
    next = loop.firstChannel
    next?.previous = self
    loop.firstChannel = self
  }

  private func delist() {
    next?.previous = previous
    if let previous { previous.next = next } else { loop.firstChannel = next }
    next = nil
    previous = nil
  }

  /// The owner leaves: waiting bytes are written, FIN is sent, and input is discarded until the peer's FIN, so that no reset
  /// overtakes our last bytes. Writes and write failures are still reported; input is not. Each step has a time limit.
  ///
  /// - Parameter peerMaySend: `false`: the peer has announced that it sends nothing more. Then nothing can bring a reset about,
  ///   and the socket is closed once the kernel has our last bytes.
  package func closeAfterFlush(peerMaySend: Bool = true) {
    loop.assertCurrent()
    guard machine.leave(peerMaySend: peerMaySend) else { return }
    precondition(readEvent != nil, "a channel is started before it is flushed")
    resumeReading()
    requestAttention()
  }

  /// Ends both directions at once and tells the peer that this is not an orderly end (RST). Idempotent.
  package func reset() {
    loop.assertCurrent()
    guard machine.isOpen else { return }
    resetOnClose()
    close()
  }

  /// Reports `error` and closes. Must not be called inside a call that the handler makes.
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

  /// How long a channel continues after its owner has left.
  struct EndingBounds {
    /// While bytes wait and the kernel takes none.
    var flush = Duration.seconds(30)
    /// Between our FIN and the peer's.
    var linger = Duration.seconds(2)
  }

  func lingerForPeer() {
    handler = nil
    bePatient(loop.endingBounds.linger)
  }

  func waitForKernel() {
    bePatient(loop.endingBounds.flush)
  }

  func flushMadeProgress() {
    if patience.isWaiting { waitForKernel() }
  }

  private func bePatient(_ limit: Duration) {
    patience.wait(limit) { Timer(loop: loop) { [unowned self] in runOutOfPatience() } }
  }

  private func runOutOfPatience() {
    // If the peer reads nothing, the kernel must not keep our bytes either.
    if machine.mayWrite { resetOnClose() }
    failNow(LoopError(.timedOut, "the peer took no more bytes"))
  }

  private func resetOnClose(_ resets: Bool = true) {
    do throws(SystemCallError) {
      try SystemCalls.resetOnClose(socket, resets)
    } catch {
      // The connection is already gone and needs no reset.
    }
  }

  /// From now until our end is sent, the end of this process resets the connection: the peer does not take what has come for the
  /// whole.
  package func guardEnd() {
    loop.assertCurrent()
    guard machine.mayWrite, !isEndGuarded else { return }
    isEndGuarded = true
    resetOnClose()
  }

  /// Our end is due.
  func releaseEnd() {
    guard isEndGuarded else { return }
    isEndGuarded = false
    resetOnClose(false)
  }
}

/// A connected, non-blocking socket that a channel has given up.
package struct HandedOverSocket: ~Copyable {
  package let descriptor: FileDescriptor
  /// Bytes that the kernel has not taken yet.
  package let waiting: [UInt8]

  package consuming func release() -> Int32 {
    descriptor.release()
  }
}

/// The events that a channel reports to the object that uses it, on the channel's loop.
///
/// The methods do not pass the channel: a handler has one, and it may be more than a bare channel (a `SecureChannel` reports
/// the same events). A handler may do anything to its channel inside a callback, even close it; nothing is reported after
/// `close()` returns. No callback comes from inside a call that the handler makes: the result of a write is reported after the
/// handler has returned.
package protocol ChannelHandler: AnyObject {
  /// Bytes arrived. They are borrowed for the duration of the call. `instant`: when the last of them came, by the kernel's
  /// clock where it says so (`Channel.arrival` knows more).
  func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant)

  /// The peer ended its direction (FIN). Ours is still open.
  func channelDidReceiveEnd(at instant: MonotonicInstant)

  /// `count` bytes arrived and went to the channel that `forward` named, past this program. `instant`: when, by the loop's
  /// clock.
  func channelDidForward(_ count: Int, at instant: MonotonicInstant)

  /// The kernel took `count` bytes; `instant`: when it took the last of them.
  func channelDidWrite(_ count: Int, at instant: MonotonicInstant)

  /// At the end of a turn with output, bytes wait because the kernel takes no more. It may have taken none of them, and then
  /// this is all that the handler is told.
  func channelIsBlocked()

  /// The waiting bytes had risen to the high-water mark and have fallen to the low-water mark.
  func channelDidDrain()

  /// The connection failed. Reported once, as the last event; the channel closes when this returns.
  func channelDidFail(_ error: LoopError)
}
