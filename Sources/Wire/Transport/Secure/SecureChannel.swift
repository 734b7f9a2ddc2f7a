package import TapelineLoop
package import TapelineTLS
internal import TapelineBase
package import TapelineTime

/// A byte stream over TLS: a channel, and the engine that seals and opens what passes through it. Loop-bound.
///
/// It is its channel's handler, and keeps the promises of a channel to its own handler: no callback from inside a call, nothing
/// after `close()`. Output of a turn gathers as plaintext and is sealed when the turn's handlers have returned, just before the
/// channel writes it, so that a head and a small body share a record and a system call.
///
/// The owner limits the time of the handshake; the channel limits the time of the ending.
package final class SecureChannel {
  /// More than any cipher suite adds to a record (RFC 5246 6.2.3).
  private static let recordOverhead = 256
  /// The most plaintext that one record holds (RFC 8446 5.1).
  private static let recordSize = 16 * 1024
  /// The most plaintext sealed before the kernel gets it: its ciphertext fits the loop's spare buffers, which are warm and
  /// mapped.
  private static let stride = 4 * recordSize

  let channel: Channel
  let engine: TLSEngine
  /// Is told of events. Held until the channel is closed.
  package var handler: (any SecureChannelHandler)?
  private var machine = StateMachine()

  /// When the kernel took the first bytes of a client's hello; when a server began to read it.
  package private(set) var handshakeBegan: MonotonicInstant?

  /// When the bytes that the handler got last came: their records.
  package private(set) var arrival: Arrival

  /// Tickets that are due when the handshake has ended.
  private var tickets: [UInt64] = []
  /// Whether the output ends by a bare FIN: it goes on from a stream that has ended so, and is not for us to vouch for.
  package var omitsCloseNotify = false

  private let buffer: PlaintextBuffer
  /// Ciphertext that the owner had read before TLS began; fed when the turn has ended.
  private var early: [UInt8] = []

  /// The output of a turn's handlers. It becomes records when it fills a record or when the handlers have returned; from then on
  /// the channel's queue holds ciphertext only.
  private var plaintext: [UInt8] = []
  private var isAwaitingSeal = false
  var sealed = SealedOutput()

  /// Takes over a started channel. `buffer` is shared by all channels of the loop.
  package init(channel: Channel, engine: TLSEngine, buffer: PlaintextBuffer) {
    self.channel = channel
    self.engine = engine
    self.buffer = buffer
    arrival = channel.arrival
    // Bytes that the owner sent in clear before: an answer to CONNECT.
    sealed.append(plaintext: 0, ciphertext: channel.unreportedBytes)
    channel.handler = self
  }

  private var loop: EventLoop { channel.loop }

  /// Whether the owner and TLS are both still there.
  var isOpen: Bool { channel.isOpen && (machine.isSecuring || machine.isSecure) }

  /// Why TLS failed.
  package var failure: TLSError? { machine.failure }

  /// The peer's FIN came without close_notify: anybody may have cut off its stream (RFC 8446 6.1).
  package var inputIsTruncated: Bool { machine.inputIsTruncated }

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

  /// Begins the handshake as a server, with the bytes already read of the client's hello, the last of them at `instant`.
  package func start(with received: consuming [UInt8], at instant: MonotonicInstant) {
    handshakeBegan = instant
    early = received
    loop.enqueueLocal { [self] in feedEarly(at: instant) }
  }

  /// Goes on with the handshake of a client that waits for this choice: the first of `protocols` that it offers. Answers whether
  /// it has waited.
  package func answer(with protocols: [ApplicationProtocol]) -> Bool {
    guard machine.isSecuring, engine.awaitsProtocol else { return false }
    do throws(TLSError) {
      try engine.choose(protocols)
      sendProtocolBytes()
    } catch {
      loop.enqueueLocal { [self] in fail(error) }
    }
    return true
  }

  /// Gives the channel back, with what a client has sent that got no answer yet, because it waits for the choice of a protocol.
  /// `nil`, and nothing happens, if it does not.
  package func giveBack() -> (channel: Channel, received: [UInt8])? {
    guard machine.isSecuring, engine.awaitsProtocol else { return nil }
    let received = engine.heldBytes + early
    early = []
    _ = machine.close()
    letGo()
    return (channel, received)
  }

  private func feedEarly(at instant: MonotonicInstant) {
    guard !early.isEmpty else { return }
    let bytes = early
    early = []
    receive(bytes.span, at: instant)
  }

  private func becomeSecure(at instant: MonotonicInstant) {
    machine.handshakeDidEnd()
    noteSessions()
    let due = tickets
    tickets = []
    for lineage in due { issueTicket(lineage) }
    handler?.channelDidSecure(engine.parameters, at: instant)
  }

  private func noteSessions() {
    while let session = engine.takeSession() {
      handler?.channelDidReceive(session: session)
    }
  }

  /// `TLSEngine.resumedLineage`.
  package var resumedLineage: UInt64? { engine.resumedLineage }

  /// Gives the client, of which we are the server, a ticket that carries `lineage`.
  package func issueTicket(_ lineage: UInt64) {
    if machine.isSecuring { return tickets.append(lineage) }
    guard machine.acceptsOutput else { return }
    engine.issueTicket(lineage)
    sendProtocolBytes()
  }

  // MARK: Input

  /// Leaves input in the kernel. Of the bytes already read, at most one receive buffer is still delivered.
  package func pauseReading() { channel.pauseReading() }

  package func resumeReading() { channel.resumeReading() }

  private func receive(_ ciphertext: Span<UInt8>, at instant: MonotonicInstant) {
    do throws(TLSError) {
      var used = 0
      if machine.isSecuring {
        used = try engine.handshake(ciphertext)
        sendProtocolBytes()
        // The owner may leave while it judges the server.
        if machine.isSecuring, engine.isEstablished {
          becomeSecure(at: used == ciphertext.count ? instant : arrival.within(upTo: instant))
        }
      }
      if machine.isSecure, used < ciphertext.count {
        try open(ciphertext.extracting(droppingFirst: used), at: instant)
      }
    } catch {
      fail(error)
    }
  }

  private func open(_ ciphertext: Span<UInt8>, at instant: MonotonicInstant) throws(TLSError) {
    let input = try engine.receive(ciphertext, using: buffer) { bytes in
      // Before the bytes, as the owner may leave with the last of them.
      noteSessions()
      if machine.isSecure { handler?.channelDidReceive(bytes, at: engine.hasUsedInput ? instant : arrival.within(upTo: instant)) }
    }
    guard machine.isSecure else { return }
    noteSessions()
    sendProtocolBytes()
    switch input {
    case .open: break
    case .ended: endInput(at: instant)
    }
  }

  private func endInput(at instant: MonotonicInstant) {
    if machine.inputDidEnd() { handler?.channelDidReceiveEnd(at: instant) }
  }

  // MARK: Ending

  /// The engine is dead. Its last alert goes out, and the channel lingers for the peer to read it.
  private func fail(_ error: TLSError) {
    guard isOpen, machine.fail(error) else { return }
    plaintext = []
    sendProtocolBytes()
    let handler = handler
    self.handler = nil
    channel.closeAfterFlush()
    handler?.channelDidFail(TransportError(error))
  }

  /// Ends both directions at once. If bytes still wait, they are dropped, and the peer can tell; otherwise it gets close_notify.
  /// Idempotent.
  package func close() {
    if bufferedBytes == 0, channel.isOpen, machine.endOutput(), !omitsCloseNotify {
      channel.withOutput { engine.shutdownOutput(into: &$0) }
      channel.flush()
    }
    guard machine.close() else { return }
    letGo()
    channel.close()
  }

  /// Ends both directions at once by RST. Idempotent.
  package func reset() {
    _ = machine.close()
    letGo()
    channel.reset()
  }

  /// As `reset`, after an attempt to write what waits.
  func resetAfterFlush() {
    seal()
    channel.flush()
    reset()
  }

  /// The owner leaves: waiting bytes are sealed and written, then close_notify and FIN follow; see `Channel.closeAfterFlush`.
  package func closeAfterFlush() {
    seal()
    endOutput()
    switch machine.closeAfterFlush() {
    case .drain:
      channel.closeAfterFlush()
      letGoIfFlushed()
    case .close:
      letGo()
      channel.close()
    case .nothing:
      break
    }
  }

  /// Once nothing is left to report: the channel does not say when it closes, and handlers hold what they handle.
  private func letGoIfFlushed() {
    if machine.hasLeft, channel.unreportedBytes == 0 || !channel.isOpen { handler = nil }
  }

  private func letGo() {
    handler = nil
    plaintext = []
  }

  // MARK: Output

  /// Bytes that wait: plaintext to be sealed, ciphertext to be taken by the kernel.
  package var bufferedBytes: Int { plaintext.count + channel.bufferedBytes }

  /// It counts ciphertext: `channelDidDrain` is about ciphertext, and less than a record is not sealed yet.
  package var isAboveHighWater: Bool { channel.isAboveHighWater }

  /// Lets `body` append plaintext to the output. Nothing happens before the handshake has ended, or once the output has.
  package func withOutput<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard machine.acceptsOutput else { return }
    useBuffer()
    defer { didProduce() }
    try body(&plaintext)
  }

  /// Writes bytes: a few are copied and leave with the rest of the turn's output; whole records are sealed where they lie.
  package func write(_ bytes: Span<UInt8>) {
    guard machine.acceptsOutput, !bytes.isEmpty else { return }
    useBuffer()
    guard plaintext.count + bytes.count >= Self.recordSize else {
      plaintext.append(bytes: bytes)
      return didProduce()
    }
    // A record that has begun is filled up first, so that no record is smaller than it must be.
    let filling = plaintext.isEmpty ? 0 : Self.recordSize - plaintext.count
    plaintext.append(bytes: bytes.extracting(first: filling))
    seal()
    let rest = bytes.extracting(droppingFirst: filling)
    let whole = rest.count - rest.count % Self.recordSize
    var offset = 0
    while offset < whole {
      let count = min(Self.stride, whole - offset)
      seal(rest.extracting(offset..<offset + count))
      offset += count
      if offset < rest.count { channel.flush() }
    }
    guard whole < rest.count, machine.acceptsOutput else { return }
    useBuffer()
    plaintext.append(bytes: rest.extracting(droppingFirst: whole))
    didProduce()
  }

  /// Ends our direction, by close_notify and FIN, once the waiting bytes have left. Idempotent.
  package func shutdownOutput() {
    guard machine.isSecure else { return }
    seal()
    endOutput()
    channel.shutdownOutput()
  }

  /// Tells the peer that the bytes it got are all.
  private func endOutput() {
    guard machine.endOutput(), !omitsCloseNotify else { return }
    queueProtocolBytes { engine.shutdownOutput(into: &$0) }
  }

  private func useBuffer() {
    if plaintext.capacity == 0 { plaintext = loop.takeSpareBuffer() }
  }

  private func didProduce() {
    if plaintext.count >= Self.recordSize { seal() } else { requestSeal() }
  }

  // MARK: Sealing

  /// Has the loop seal the waiting bytes when this turn's handlers have returned.
  private func requestSeal() {
    guard !isAwaitingSeal else { return }
    isAwaitingSeal = true
    loop.enqueueLocal(self)
  }

  /// Turns the plaintext that has gathered into records.
  func seal() {
    guard machine.isSecure, !plaintext.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &plaintext)
    seal(bytes.span)
    bytes.removeAll(keepingCapacity: true)
    loop.keepSpareBuffer(bytes)
  }

  private func seal(_ bytes: Span<UInt8>) {
    guard machine.isSecure, !bytes.isEmpty else { return }
    let before = channel.bufferedBytes
    do throws(TLSError) {
      try channel.withOutput { output throws(TLSError) in
        if bytes.count >= Self.recordSize {
          output.reserveCapacity(output.count + bytes.count + (bytes.count / Self.recordSize + 1) * Self.recordOverhead)
        }
        try engine.write(bytes, into: &output)
      }
    } catch {
      // From the loop, like every failure, so that no callback comes from inside the handler's own call.
      return loop.enqueueLocal { [self] in fail(error) }
    }
    sealed.append(plaintext: bytes.count, ciphertext: channel.bufferedBytes - before)
  }

  /// Sends the engine's own messages: handshake messages, tickets, key updates, alerts.
  private func sendProtocolBytes() {
    guard engine.hasCiphertext else { return }
    queueProtocolBytes { engine.takeCiphertext(into: &$0) }
  }

  private func queueProtocolBytes(_ body: (inout [UInt8]) -> Void) {
    let before = channel.bufferedBytes
    channel.withOutput(body)
    sealed.append(plaintext: 0, ciphertext: channel.bufferedBytes - before)
  }
}

extension SecureChannel: EndOfTurnWorker {
  package func finishTurn() {
    isAwaitingSeal = false
    seal()
  }
}

extension SecureChannel: ChannelHandler {
  package func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
    feedEarly(at: instant)
    arrival = channel.arrival.ofUnits
    receive(bytes, at: instant)
  }

  package func channelDidReceiveEnd(at instant: MonotonicInstant) {
    feedEarly(at: instant)
    guard isOpen, machine.awaitsInput else { return }
    do throws(TLSError) {
      try engine.receiveEnd()
      endInput(at: instant)
    } catch {
      switch machine.inputWasCut() {
      case .deliverEnd: handler?.channelDidReceiveEnd(at: instant)
      case .fail: fail(error)
      }
    }
  }

  package func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {
    if handshakeBegan == nil { handshakeBegan = instant }
    if let plain = sealed.remove(count) { handler?.channelDidWrite(plain, at: instant) }
    letGoIfFlushed()
  }

  package func channelIsBlocked() {
    handler?.channelIsBlocked()
  }

  package func channelDidDrain() {
    handler?.channelDidDrain()
  }

  package func channelDidFail(_ error: LoopError) {
    let handler = handler
    _ = machine.close()
    letGo()
    handler?.channelDidFail(error)
  }
}

/// A secure channel's events for the object that uses it: first that it is secure, then those of a channel, for plaintext.
///
/// `channelDidReceiveEnd` means the peer's close_notify, or a FIN without one: then `inputIsTruncated`. `channelDidWrite` counts
/// plaintext, not the bytes of the handshake.
package protocol SecureChannelHandler: ChannelHandler {
  /// The handshake is complete. `instant`: when the read that completed it returned.
  func channelDidSecure(_ parameters: TLSParameters, at instant: MonotonicInstant)

  /// The connection failed, by TCP or by TLS. Called once, as the last event; the channel closes when this returns. The handler
  /// knows whose failure it is, and in which phase.
  func channelDidFail(_ error: TransportError)

  /// The server gave a session to resume later: at any time after the handshake (RFC 8446 4.6.1). Clients only.
  func channelDidReceive(session: TLSSession)
}

extension SecureChannelHandler {
  package func channelDidReceive(session: TLSSession) {}

  package func channelDidFail(_ error: LoopError) {
    channelDidFail(TransportError(error, origin: .local, phase: .receive))
  }
}
