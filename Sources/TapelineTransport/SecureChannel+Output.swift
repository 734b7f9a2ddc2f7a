internal import TapelineLoop
internal import TapelineTLS

// Writing: what a turn's handlers produce gathers in `plaintext`, and becomes records when a record's worth has gathered or when the
// handlers have returned. The channel's queue then holds ciphertext only.
extension SecureChannel {
  /// The most plaintext that one record holds (RFC 8446 5.1).
  private static let recordSize = 16 * 1024
  /// More than any cipher suite adds to a record (RFC 5246 6.2.3).
  private static let recordOverhead = 256
  /// What is sealed before the kernel gets it: the ciphertext of this much fits the loop's spare buffers, which are warm and mapped.
  private static let stride = 4 * recordSize

  /// Bytes that wait: plaintext to be sealed, ciphertext to be taken by the kernel.
  package var bufferedBytes: Int { plaintext.count + channel.bufferedBytes }

  /// Of the ciphertext: it is what `channelDidDrain` is about, and less than a record is not sealed yet.
  package var isAboveHighWater: Bool { channel.isAboveHighWater }

  private var acceptsOutput: Bool { state == .open && !outputEnded }

  // MARK: Producing

  /// Lets `body` append plaintext to the output. Nothing happens before the handshake has ended, or once the output has.
  package func withOutput<Failure: Error>(_ body: (inout [UInt8]) throws(Failure) -> Void) throws(Failure) {
    guard acceptsOutput else { return }
    useBuffer()
    defer { didProduce() }
    try body(&plaintext)
  }

  /// Writes bytes: few are copied and leave with the rest of the turn's output, whole records are sealed where they lie.
  package func write(_ bytes: Span<UInt8>) {
    guard acceptsOutput, !bytes.isEmpty else { return }
    useBuffer()
    guard plaintext.count + bytes.count >= Self.recordSize else {
      plaintext.append(bytes: bytes)
      return didProduce()
    }
    // The record that has begun is filled up first, so that none is smaller than it must be.
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
    guard whole < rest.count, acceptsOutput else { return }
    useBuffer()
    plaintext.append(bytes: rest.extracting(droppingFirst: whole))
    didProduce()
  }

  /// Ends our direction, by close_notify and FIN, once what waits has left. Idempotent.
  package func shutdownOutput() {
    guard state == .open else { return }
    seal()
    endOutput()
    channel.shutdownOutput()
  }

  /// Has the peer know that what it got is all.
  func endOutput() {
    guard !outputEnded else { return }
    outputEnded = true
    queueProtocolBytes { engine.shutdownOutput(into: &$0) }
  }

  private func useBuffer() {
    if plaintext.capacity == 0 { plaintext = loop.takeSpareBuffer() }
  }

  private func didProduce() {
    if plaintext.count >= Self.recordSize { seal() } else { requestSeal() }
  }

  // MARK: Sealing

  /// Has the loop seal what waits when this turn's handlers have returned.
  func requestSeal() {
    guard !isAwaitingSeal else { return }
    isAwaitingSeal = true
    loop.enqueueLocal { [self] in
      isAwaitingSeal = false
      seal()
    }
  }

  /// Turns the plaintext that has gathered into records.
  func seal() {
    guard state == .open, !plaintext.isEmpty else { return }
    var bytes: [UInt8] = []
    swap(&bytes, &plaintext)
    seal(bytes.span)
    bytes.removeAll(keepingCapacity: true)
    loop.keepSpareBuffer(bytes)
  }

  private func seal(_ bytes: Span<UInt8>) {
    guard state == .open, !bytes.isEmpty else { return }
    let before = channel.bufferedBytes
    do throws(TLSError) {
      try channel.withOutput { output throws(TLSError) in
        if bytes.count >= Self.recordSize {
          output.reserveCapacity(output.count + bytes.count + (bytes.count / Self.recordSize + 1) * Self.recordOverhead)
        }
        try engine.write(bytes, into: &output)
      }
    } catch {
      // From the loop, like every failure: no callback comes from inside the handler's own call.
      return loop.enqueueLocal { [self] in fail(error) }
    }
    sealed.append(plaintext: bytes.count, ciphertext: channel.bufferedBytes - before)
  }

  /// Sends what the engine itself has to say: handshake messages, tickets, key updates, alerts.
  func sendProtocolBytes() {
    guard engine.hasCiphertext else { return }
    queueProtocolBytes { engine.takeCiphertext(into: &$0) }
  }

  private func queueProtocolBytes(_ body: (inout [UInt8]) -> Void) {
    let before = channel.bufferedBytes
    channel.withOutput(body)
    sealed.append(plaintext: 0, ciphertext: channel.bufferedBytes - before)
  }
}

extension [UInt8] {
  fileprivate mutating func append(bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
