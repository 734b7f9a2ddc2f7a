package import TapelineLoop
package import TapelineTLS
package import TapelineTime

/// A byte stream over TLS: a channel, and the engine that seals and opens what passes through it. Loop-bound.
///
/// It is its channel's handler and keeps a channel's promises to its own: no callback from inside a call, nothing after `close()`. What
/// a turn produces gathers as plaintext and is sealed when the turn's handlers have returned, just before the channel writes it, so that
/// a head and a small body share a record and a system call.
///
/// The owner bounds the handshake in time; the channel bounds the ending.
package final class SecureChannel {
  enum State {
    case securing
    case open
    /// TLS has failed: our alert is on its way, and the channel ends by itself.
    case failed
    /// The owner has left.
    case left
  }

  let channel: Channel
  let engine: TLSEngine
  /// Whom to tell. Held until the channel is closed.
  package var handler: (any SecureChannelHandler)?
  var state = State.securing

  /// Why TLS failed.
  package private(set) var failure: TLSError?
  /// When the kernel took the first bytes of a client's hello; when a server began to read it.
  package private(set) var handshakeBegan: MonotonicInstant?
  /// The peer's FIN came without close_notify: its stream may have been cut off by anyone (RFC 8446 6.1).
  package private(set) var inputIsTruncated = false
  private var inputEnded = false

  private let buffer: PlaintextBuffer
  /// Ciphertext that the owner had read before TLS began; fed when the turn has ended.
  private var early: [UInt8] = []

  // Output; see SecureChannel+Output.
  var plaintext: [UInt8] = []
  var isAwaitingSeal = false
  var outputEnded = false
  var sealed = SealedOutput()

  /// Takes over a started channel. `buffer` is shared by all channels of the loop.
  package init(channel: Channel, engine: TLSEngine, buffer: PlaintextBuffer) {
    self.channel = channel
    self.engine = engine
    self.buffer = buffer
    // What the owner had sent in clear before: an answer to CONNECT.
    sealed.append(plaintext: 0, ciphertext: channel.unreportedBytes)
    channel.handler = self
  }

  var loop: EventLoop { channel.loop }

  var isOpen: Bool {
    switch state {
    case .securing, .open: channel.isOpen
    case .failed, .left: false
    }
  }

  // MARK: The handshake

  /// Begins the handshake as a client. Once.
  package func start() {
    do throws(TLSError) {
      try engine.start()
      sendProtocolBytes()
    } catch {
      loop.enqueueLocal { [self] in fail(error) }
    }
  }

  /// Begins the handshake as a server, with what was read of the client's hello, the last of it at `instant`.
  package func start(with received: consuming [UInt8], at instant: MonotonicInstant) {
    handshakeBegan = instant
    early = received
    loop.enqueueLocal { [self] in feedEarly(at: instant) }
  }

  private func feedEarly(at instant: MonotonicInstant) {
    guard !early.isEmpty else { return }
    let bytes = early
    early = []
    receive(bytes.span, at: instant)
  }

  private func becomeSecure(at instant: MonotonicInstant) {
    state = .open
    noteSessions()
    handler?.channelDidSecure(engine.parameters, at: instant)
  }

  private func noteSessions() {
    while let session = engine.takeSession() { handler?.channelDidReceive(session: session) }
  }

  // MARK: Input

  /// Leaves input in the kernel; of what was read, at most one receive buffer is still delivered.
  package func pauseReading() { channel.pauseReading() }

  package func resumeReading() { channel.resumeReading() }

  private func receive(_ ciphertext: Span<UInt8>, at instant: MonotonicInstant) {
    do throws(TLSError) {
      var used = 0
      if state == .securing {
        used = try engine.handshake(ciphertext)
        sendProtocolBytes()
        // Whoever judges the server may leave while it does.
        if state == .securing, engine.isEstablished { becomeSecure(at: instant) }
      }
      if state == .open, used < ciphertext.count {
        try open(ciphertext.extracting(droppingFirst: used), at: instant)
      }
    } catch {
      fail(error)
    }
  }

  private func open(_ ciphertext: Span<UInt8>, at instant: MonotonicInstant) throws(TLSError) {
    let input = try engine.receive(ciphertext, using: buffer) { bytes in
      // First, as the owner may leave with the last bytes.
      noteSessions()
      if state == .open { handler?.channelDidReceive(bytes, at: instant) }
    }
    guard state == .open else { return }
    noteSessions()
    sendProtocolBytes()
    switch input {
    case .open: break
    case .ended: endInput(at: instant)
    }
  }

  private func endInput(at instant: MonotonicInstant) {
    guard !inputEnded else { return }
    inputEnded = true
    handler?.channelDidReceiveEnd(at: instant)
  }

  // MARK: Ending

  /// The engine is dead. Its last alert goes out, and the channel lingers for the peer to read it.
  func fail(_ error: TLSError) {
    guard isOpen else { return }
    failure = error
    state = .failed
    plaintext = []
    sendProtocolBytes()
    let handler = handler
    self.handler = nil
    channel.closeAfterFlush()
    handler?.channelDidFail(TransportError(error))
  }

  /// Ends both directions at once; bytes that wait are dropped, and the peer can tell. Otherwise close_notify takes leave. Idempotent.
  package func close() {
    switch state {
    case .open:
      if bufferedBytes == 0, !outputEnded, channel.isOpen {
        channel.withOutput { engine.shutdownOutput(into: &$0) }
        channel.flush()
      }
      leave()
      channel.close()
    case .securing, .left:
      leave()
      channel.close()
    case .failed:
      break
    }
  }

  /// Ends both directions at once by RST. Idempotent.
  package func reset() {
    leave()
    channel.reset()
  }

  /// The owner leaves: what waits is sealed and written, then close_notify and FIN; see `Channel.closeAfterFlush`.
  package func closeAfterFlush() {
    switch state {
    case .open:
      seal()
      endOutput()
      state = .left
      channel.closeAfterFlush()
      letGoIfFlushed()
    case .securing:
      // Nothing can be said before there is a key.
      leave()
      channel.close()
    case .failed, .left:
      break
    }
  }

  /// Once nothing is left to report: the channel does not say when it closes, and handlers hold what they handle.
  private func letGoIfFlushed() {
    if state == .left, channel.unreportedBytes == 0 || !channel.isOpen { handler = nil }
  }

  private func leave() {
    state = .left
    handler = nil
    plaintext = []
  }
}

extension SecureChannel: ChannelHandler {
  package func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    feedEarly(at: instant)
    receive(bytes, at: instant)
  }

  package func channelDidReceiveEnd(at instant: MonotonicInstant) {
    feedEarly(at: instant)
    guard isOpen, !inputEnded else { return }
    do throws(TLSError) {
      try engine.receiveEnd()
      endInput(at: instant)
    } catch {
      switch state {
      case .open:
        inputIsTruncated = true
        endInput(at: instant)
      case .securing, .failed, .left:
        fail(error)
      }
    }
  }

  package func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    if handshakeBegan == nil { handshakeBegan = instant }
    if let plain = sealed.remove(count) { handler?.channelDidWrite(plain, at: instant) }
    letGoIfFlushed()
  }

  package func channelDidDrain() {
    handler?.channelDidDrain()
  }

  package func channelDidFail(_ error: TransportError) {
    let handler = handler
    leave()
    handler?.channelDidFail(error)
  }
}
