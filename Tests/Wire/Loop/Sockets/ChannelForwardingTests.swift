import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineLoop

/// Input that goes from one TCP connection to another past the program.
struct ChannelForwardingTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    ProcessSignal.ignoreBrokenPipes()
  }

  /// Passes on what it reads, with back-pressure, as a proxy does.
  private final class Relay: ChannelHandler {
    let source: Channel
    let destination: Channel
    private(set) var read = 0
    private(set) var forwarded = 0
    private(set) var mostBuffered = 0
    private(set) var hasEnded = false
    private(set) var failures: [LoopError.Kind] = []
    /// When the last bytes came.
    private(set) var last: MonotonicInstant?

    init(from source: Channel, to destination: Channel) {
      self.source = source
      self.destination = destination
    }

    func channelDidReceive(_ bytes: Span<UInt8>, at instant: MonotonicInstant) {
      read += bytes.count
      last = instant
      destination.write(bytes)
      limit()
    }

    func channelDidForward(_ count: Int, at instant: MonotonicInstant) {
      forwarded += count
      last = instant
      limit()
    }

    private func limit() {
      mostBuffered = max(mostBuffered, destination.bufferedBytes)
      if destination.isAboveHighWater { source.pauseReading() }
    }

    func channelDidReceiveEnd(at instant: MonotonicInstant) {
      hasEnded = true
      destination.shutdownOutput()
    }

    func channelDidWrite(_ count: Int, at instant: MonotonicInstant) {}
    func channelDidDrain() {}
    func channelDidFail(_ error: LoopError) { failures.append(error.kind) }
  }

  private struct Scene {
    let relay: Relay
    let origin: Peer
    let client: Peer
    /// The destination's.
    let handler: RecordingHandler

    var source: Channel { relay.source }
    var destination: Channel { relay.destination }

    func close() {
      source.close()
      destination.close()
    }
  }

  private func scene() throws -> Scene {
    let (destination, client, handler) = try makeChannel(on: loop)
    let (source, origin, _) = try makeChannel(on: loop)
    let relay = Relay(from: source, to: destination)
    source.handler = relay
    let scene = Scene(relay: relay, origin: origin, client: client, handler: handler)
    goOnWhenDrained(scene)
    return scene
  }

  private func goOnWhenDrained(_ scene: Scene) {
    scene.handler.onEvent = { _, event in
      if event == .drained { scene.source.resumeReading() }
    }
  }

  /// Sends `bytes` from the origin, and reads at the client as `read` says, until the client has all.
  private func carry(_ bytes: [UInt8], through scene: Scene, read: @escaping (Peer) -> Void = { $0.receive() }) {
    var sent = 0
    let total = scene.client.received.count + bytes.count
    let clockwork = Timer.repeating(on: loop) {
      if sent < bytes.count { sent += scene.origin.send(Array(bytes[sent..<min(bytes.count, sent + (1 << 20))])) }
      read(scene.client)
      if scene.client.received.count == total { loop.stop() }
    }
    loop.serve()
    clockwork.cancel()
  }

  @Test func whatIsLargeGoesPastTheProgramUnchanged() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: nil)
    #expect(scene.source.isForwarding)
    let bytes = patternedBytes(8 << 20)
    carry(bytes, through: scene)
    loop.settle()
    #expect(scene.client.received == bytes)
    #expect(scene.relay.forwarded > 1 << 20)
    #expect(scene.relay.read + scene.relay.forwarded == bytes.count)
    #expect(scene.handler.written == bytes.count)
    #expect(scene.destination.bufferedBytes == 0)
    scene.close()
    #expect(loop.conduits == 0)
  }

  @Test func smallInputIsReadAndKeepsItsOrder() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: nil)
    var expected: [UInt8] = []
    for number in 0..<8 {
      let bytes = patternedBytes(number.isMultiple(of: 2) ? 1 << 20 : 100, seed: UInt64(number))
      expected += bytes
      carry(bytes, through: scene)
    }
    #expect(scene.client.received == expected)
    #expect(scene.relay.read >= 400)
    scene.close()
  }

  @Test func aReaderThatStopsHoldsTheOriginUp() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: nil)
    let bytes = patternedBytes(24 << 20)
    var turn = 0
    carry(bytes, through: scene) { client in
      turn += 1
      // It reads nothing for fifty turns, then everything for as many.
      if turn / 50 % 2 == 1 { client.receive(limit: 4 << 20) }
    }
    #expect(scene.client.received == bytes)
    #expect(scene.handler.events.contains(.drained))
    #expect(scene.relay.mostBuffered <= Conduit.capacity + Channel.highWaterMark + InputBuffer.size)
    scene.close()
  }

  @Test func noMoreIsForwardedThanWasAsked() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: 2 << 20)
    let bytes = patternedBytes(6 << 20)
    carry(bytes, through: scene)
    loop.settle()
    #expect(scene.client.received == bytes)
    #expect(scene.relay.forwarded <= 2 << 20)
    #expect(scene.relay.forwarded > 0)
    #expect(!scene.source.isForwarding)
    #expect(scene.destination.conduit == nil && loop.conduits == 0, "the pipe goes back as soon as it is empty")
    scene.close()
  }

  @Test func whatIsReadCountsToo() throws {
    let scene = try scene()
    // So small that it is read.
    for seed in UInt64(1)...8 { carry(patternedBytes(ForwardingPlan.least - 1, seed: seed), through: scene) }
    #expect(scene.relay.forwarded == 0)
    scene.source.forward(to: scene.destination, atMost: 300_000)
    for seed in UInt64(1)...8 { carry(patternedBytes(ForwardingPlan.least - 1, seed: seed), through: scene) }
    let before = scene.relay.read + scene.relay.forwarded
    carry(patternedBytes(4 << 20), through: scene)
    #expect(before - 8 * (ForwardingPlan.least - 1) == 8 * (ForwardingPlan.least - 1))
    #expect(scene.relay.forwarded <= 300_000 - 8 * (ForwardingPlan.least - 1))
    #expect(!scene.source.isForwarding)
    scene.close()
  }

  @Test func aPipeIsNotMadeForLittle() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: ForwardingPlan.worthwhile - 1)
    #expect(!scene.source.isForwarding && loop.conduits == 0)
    scene.close()
  }

  @Test func itCanBeginAgain() throws {
    let scene = try scene()
    for seed in UInt64(1)...3 {
      scene.source.forward(to: scene.destination, atMost: nil)
      #expect(scene.source.isForwarding && loop.conduits == 1)
      let before = scene.relay.forwarded
      carry(patternedBytes(2 << 20, seed: seed), through: scene)
      #expect(scene.relay.forwarded > before)
      scene.source.endForwarding()
      scene.source.endForwarding()
      loop.settle()
      #expect(loop.conduits == 0)
    }
    scene.close()
  }

  @Test func theEndComesBehindTheBytes() throws {
    let scene = try scene()
    scene.source.forward(to: scene.destination, atMost: nil)
    let bytes = patternedBytes(3 << 20)
    carry(bytes, through: scene)
    scene.origin.shutdownOutput()
    loop.settle()
    scene.client.receive()
    #expect(scene.relay.hasEnded && scene.client.sawEnd)
    #expect(scene.client.received == bytes)
    #expect(loop.conduits == 0)
    scene.close()
  }

  @Test func whereNoPipeIsLeftEverythingIsRead() throws {
    let scene = try scene()
    loop.conduits = Conduit.limit
    scene.source.forward(to: scene.destination, atMost: nil)
    #expect(!scene.source.isForwarding && scene.destination.conduit == nil)
    let bytes = patternedBytes(1 << 20)
    carry(bytes, through: scene)
    #expect(scene.client.received == bytes)
    #expect(scene.relay.forwarded == 0)
    #expect(loop.conduits == Conduit.limit)
    scene.close()
  }

  @Test func oneDestinationHasOneSource() throws {
    let scene = try scene()
    let (other, _, _) = try makeChannel(on: loop)
    scene.source.forward(to: scene.destination, atMost: nil)
    other.forward(to: scene.destination, atMost: nil)
    #expect(!other.isForwarding)
    scene.source.forward(to: scene.destination, atMost: nil)
    #expect(loop.conduits == 1)
    other.close()
    scene.close()
  }

  // MARK: Ends

  /// Fills the conduit: the client does not read. The source stays paused, whatever becomes of the destination.
  private func fillConduit(of scene: Scene) {
    scene.source.forward(to: scene.destination, atMost: nil)
    let piece = patternedBytes(1 << 20)
    var offset = 0
    let feeder = Timer.repeating(on: loop) {
      offset = (offset + scene.origin.send(Array(piece[offset...]))) % piece.count
      guard scene.source.isReadingPaused, scene.destination.bufferedBytes > 0 else { return }
      // From now on: in this turn of the loop, too, the destination may drain.
      scene.handler.onEvent = { _, _ in }
      loop.stop()
    }
    loop.serve()
    feeder.cancel()
  }

  @Test func anOriginThatResetsTakesBackNothing() throws {
    let scene = try scene()
    fillConduit(of: scene)
    #expect(scene.destination.conduit?.isClosed == false)
    goOnWhenDrained(scene)
    if scene.destination.bufferedBytes == 0 { scene.source.resumeReading() }
    scene.origin.reset()
    let reader = Timer.repeating(on: loop) {
      scene.client.receive()
      let moved = scene.relay.read + scene.relay.forwarded
      if !scene.source.isOpen, scene.client.received.count == moved { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(scene.relay.failures == [.reset])
    #expect(scene.destination.isOpen && scene.destination.bufferedBytes == 0)
    #expect(scene.client.received.count == scene.relay.read + scene.relay.forwarded, "bytes that were counted arrive")
    #expect(loop.conduits == 0)
    scene.close()
  }

  @Test func aClientThatResetsFailsAlone() throws {
    let scene = try scene()
    fillConduit(of: scene)
    scene.client.reset()
    loop.settle()
    #expect(scene.handler.failures == [.reset])
    #expect(!scene.destination.isOpen && scene.source.isOpen)
    #expect(loop.conduits == 0)
    // What comes now has nowhere to go, and is read.
    let forwarded = scene.relay.forwarded
    scene.source.resumeReading()
    loop.settle()
    #expect(scene.relay.forwarded == forwarded)
    #expect(!scene.source.isForwarding)
    scene.close()
  }

  @Test func aDestinationThatLeavesSendsTheRestFirst() throws {
    let scene = try scene()
    fillConduit(of: scene)
    let moved = scene.relay.read + scene.relay.forwarded
    scene.source.close()
    scene.destination.closeAfterFlush()
    let reader = Timer.repeating(on: loop) {
      scene.client.receive()
      if scene.client.sawEnd { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(scene.client.received.count == moved)
    #expect(loop.conduits == 0)
    scene.close()
  }

  @Test func aSocketIsHandedOverWithWhatTheConduitHolds() throws {
    let scene = try scene()
    fillConduit(of: scene)
    let waiting = scene.destination.bufferedBytes
    guard let socket = scene.destination.handOver() else {
      Issue.record("an open channel gives its socket up")
      return
    }
    #expect(socket.waiting.count == waiting)
    FileDescriptor(owning: socket.release()).discard()
    #expect(loop.conduits == 0)
    scene.close()
  }

  @Test func aWriteBehindTheConduitWaitsForIt() throws {
    let scene = try scene()
    fillConduit(of: scene)
    let moved = scene.relay.read + scene.relay.forwarded
    let last = [UInt8](repeating: 9, count: WriteQueue.largeSize)
    scene.destination.write(last.span)
    scene.destination.flush()
    let reader = Timer.repeating(on: loop) {
      scene.client.receive()
      if scene.client.received.count >= moved + last.count { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    let isBehind = Array(scene.client.received.suffix(last.count)) == last
    #expect(isBehind && scene.client.received.count == moved + last.count)
    scene.close()
  }
}
