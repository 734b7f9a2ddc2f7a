import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineLoop

/// Input and the ways to end, over real TCP connections.
struct ChannelTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    ProcessSignal.ignoreBrokenPipes()
  }

  @Test func deliversWhatComesWithTheInstantOfReading() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    let before = MonotonicInstant.now
    peer.send(Array("hello".utf8))
    handler.onEvent = { _, _ in loop.stop() }
    loop.serve()
    #expect(handler.received == Array("hello".utf8))
    #expect(handler.events == [.received(5)])
    #expect(handler.instants.allSatisfy { $0 >= before && $0 <= .now })
    channel.close()
  }

  @Test func inputLargerThanTheBufferArrivesWhole() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    let size = 2_000_000
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var sent = 0
    handler.onEvent = { _, _ in
      if handler.received.count == size { loop.stop() }
    }
    let feeder = Timer.repeating(on: loop) { sent += peer.send(Array(bytes[sent...])) }
    loop.serve()
    feeder.cancel()
    #expect(handler.received == bytes)
    channel.close()
  }

  @Test func endOfInputLeavesOutputOpen() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    handler.onEvent = { channel, event in
      if event == .end { channel.withOutput { $0 += Array("late".utf8) } }
      if event == .wrote(4) { loop.stop() }
    }
    peer.shutdownOutput()
    loop.serve()
    peer.receive()
    #expect(peer.received == Array("late".utf8))
    #expect(channel.isOpen)
    loop.settle()
    #expect(handler.events == [.end, .wrote(4)], "the end is reported once")
    channel.close()
  }

  @Test func endOfOutputLeavesInputOpen() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.write(Array("all".utf8).span)
    channel.shutdownOutput()
    channel.shutdownOutput()
    channel.write(Array("too late".utf8).span)
    loop.settle()
    peer.receive()
    #expect(peer.received == Array("all".utf8))
    #expect(peer.sawEnd)
    peer.send([1, 2, 3])
    loop.settle()
    #expect(handler.received == [1, 2, 3])
    #expect(channel.isOpen)
    channel.close()
  }

  // MARK: Pausing

  @Test func pausedInputWaitsInTheKernelUntilResumed() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.pauseReading()
    channel.pauseReading()
    peer.send([1, 2, 3])
    loop.settle()
    #expect(handler.events.isEmpty)
    channel.resumeReading()
    #expect(handler.events.isEmpty, "delivered by the loop, not inside resume")
    channel.resumeReading()
    loop.settle()
    #expect(handler.received == [1, 2, 3])
    channel.close()
  }

  @Test func pausingInsideTheCallbackStopsFurtherReads() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    let size = InputBuffer.size * 3
    var sent = 0
    let feeder = Timer.repeating(on: loop) { if sent < size { sent += peer.send([UInt8](repeating: 7, count: size - sent)) } }
    handler.onEvent = { channel, _ in channel.pauseReading() }
    loop.settle(turns: 20)
    #expect(handler.events.count == 1)
    handler.onEvent = { _, _ in
      if handler.received.count == size { loop.stop() }
    }
    channel.resumeReading()
    loop.serve()
    feeder.cancel()
    #expect(handler.received.count == size)
    channel.close()
  }

  // MARK: Ending

  @Test(arguments: [RecordingHandler.Event.received(1), .end, .wrote(1)])
  func mayBeClosedInsideAnyCallback(_ event: RecordingHandler.Event) throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    handler.onEvent = { channel, seen in
      guard seen == event else { return }
      channel.close()
      channel.close()
      #expect(!channel.isOpen)
    }
    channel.write([9].span)
    peer.send([1])
    peer.shutdownOutput()
    loop.settle()
    #expect(handler.events.last == event, "nothing is reported after close")
    #expect(handler.failures.isEmpty)
    channel.close()
  }

  @Test func mayBeClosedWhenItDrains() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    handler.onEvent = { channel, event in
      if event == .drained {
        channel.close()
        loop.stop()
      }
    }
    channel.write([UInt8](repeating: 1, count: Channel.highWaterMark))
    let reader = Timer.repeating(on: loop) { peer.receive() }
    loop.serve()
    reader.cancel()
    #expect(handler.events.last == .drained)
  }

  @Test func mayBeClosedWhenItFails() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    handler.onEvent = { channel, event in
      channel.close()
      loop.stop()
    }
    peer.reset()
    loop.serve()
    #expect(handler.events == [.failed(.reset)])
    #expect(!channel.isOpen)
  }

  @Test func aResetIsReportedOnceAndCloses() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    handler.onEvent = { channel, _ in #expect(channel.isOpen && channel.tcpStatistics() != nil, "still there to be asked") }
    peer.reset()
    loop.settle()
    channel.write([1].span)
    loop.settle()
    #expect(handler.events == [.failed(.reset)])
    #expect(!channel.isOpen)
    #expect(channel.handler == nil)
  }

  @Test(
    "What a peer said before it reset the connection is delivered, however the write was made that noticed",
    arguments: [1, 65_536])
  func anAnswerBeforeAReset(size: Int) throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    loop.enqueueLocal {
      // Its answer lies in the kernel when the write fails, and the loop has not looked yet.
      peer.send([1, 2, 3])
      peer.reset()
      channel.write([UInt8](repeating: 1, count: size).span)
      channel.write([UInt8](repeating: 2, count: size).span)
    }
    loop.settle()
    #expect(handler.events == [.received(3), .failed(.reset)])
    #expect(!channel.isOpen)
  }

  @Test func aWriteToAResetConnectionFailsAfterTheCallNotInside() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.pauseReading()
    peer.reset()
    channel.write([UInt8](repeating: 1, count: WriteQueue.largeSize).span)
    #expect(handler.events.isEmpty)
    #expect(channel.isOpen)
    loop.settle()
    #expect(handler.failures == [.reset])
    #expect(!channel.isOpen)
  }

  @Test func resetIsSeenByThePeer() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.reset()
    channel.reset()
    peer.receive()
    #expect(peer.sawReset)
    #expect(handler.events.isEmpty)
  }

  @Test func closingDropsWhatWaits() throws {
    let (channel, peer, _) = try makeChannel(on: loop)
    channel.write(Array("never".utf8).span)
    channel.close()
    loop.settle()
    peer.receive()
    #expect(peer.received.isEmpty && peer.sawEnd)
  }

  // MARK: Leaving

  @Test func leavingWritesEverythingDiscardsInputAndWaitsForThePeer() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    let bytes = (0..<500_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    channel.write(bytes)
    // Unread input would turn a plain close into a reset.
    peer.send([UInt8](repeating: 1, count: 1000))
    channel.closeAfterFlush()
    channel.closeAfterFlush()
    let reader = Timer.repeating(on: loop) {
      peer.receive()
      if peer.sawEnd { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(peer.received == bytes)
    #expect(!peer.sawReset)
    #expect(handler.written == bytes.count)
    #expect(handler.received.isEmpty)
    #expect(channel.isOpen, "lingers until the peer's end")
    #expect(channel.handler == nil)
    peer.close()
    loop.settle()
    #expect(!channel.isOpen)
  }

  @Test func leavingAfterThePeersEndClosesAtOnce() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    peer.shutdownOutput()
    loop.settle()
    channel.withOutput { $0.append(5) }
    channel.closeAfterFlush()
    loop.settle()
    peer.receive()
    #expect(peer.received == [5] && peer.sawEnd)
    #expect(!channel.isOpen)
    #expect(handler.events == [.end, .wrote(1)])
  }

  @Test("A peer that sends nothing more is not waited for: it gets all bytes and the end, and no reset")
  func leavingAPeerThatSendsNothingMore() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    let bytes = [UInt8](repeating: 7, count: 500_000)
    channel.write(bytes)
    channel.closeAfterFlush(peerMaySend: false)
    let reader = Timer.repeating(on: loop) {
      peer.receive()
      if peer.sawEnd { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(peer.received == bytes && !peer.sawReset)
    #expect(handler.written == bytes.count)
    #expect(!channel.isOpen, "the peer's end is still open")
  }

  @Test func aPeerThatNeverReadsEndsTheFlush() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    loop.endingBounds.flush = .milliseconds(20)
    handler.onEvent = { _, event in
      if event == .failed(.timedOut) { loop.stop() }
    }
    channel.write([UInt8](repeating: 1, count: 500_000))
    channel.closeAfterFlush()
    loop.serve()
    #expect(!channel.isOpen)
    peer.receive()
    #expect(peer.sawReset)
  }

  @Test func aPeerThatNeverEndsEndsTheLingering() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    loop.endingBounds.linger = .milliseconds(1)
    channel.withOutput { $0.append(1) }
    channel.closeAfterFlush()
    let watch = Timer.repeating(on: loop) { if !channel.isOpen { loop.stop() } }
    loop.serve()
    watch.cancel()
    #expect(handler.events == [.wrote(1)])
    peer.receive()
    #expect(peer.received == [1] && peer.sawEnd)
  }

  @Test func leavingOutlivesTheOwnersReference() throws {
    weak var weakChannel: Channel?
    let peer: Peer
    do {
      let (channel, far, _) = try makeChannel(on: loop)
      weakChannel = channel
      peer = far
      channel.withOutput { $0.append(6) }
      channel.closeAfterFlush()
    }
    loop.settle()
    peer.receive()
    #expect(peer.received == [6] && peer.sawEnd)
    peer.close()
    loop.settle()
    #expect(weakChannel == nil, "nothing holds a closed channel")
  }

  @Test(
    "A socket that is handed over stays connected, with the bytes that were not written yet; the channel reports nothing more")
  func handsOverItsSocket() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.withOutput { $0 += Array("first".utf8) }
    guard let socket = channel.handOver() else {
      Issue.record("an open channel hands over its socket")
      return
    }
    let waiting = socket.waiting
    #expect(waiting == Array("first".utf8))
    #expect(!channel.isOpen && channel.handler == nil)
    peer.send(Array("hello".utf8))
    loop.settle()
    #expect(handler.events.isEmpty)
    let descriptor = socket.release()
    #expect(try SystemCalls.read(descriptor, upTo: 10) == Array("hello".utf8))
    SystemCalls.discard(descriptor)
    loop.settle()
    peer.receive()
    #expect(peer.received.isEmpty && peer.sawEnd)
  }

  @Test func aClosedChannelLetsGoOfItsHandler() throws {
    weak var weakHandler: RecordingHandler?
    let (channel, _, _) = try makeChannel(on: loop)
    channel.handler = nil
    do {
      let handler = RecordingHandler()
      weakHandler = handler
      channel.handler = handler
    }
    #expect(weakHandler != nil)
    channel.close()
    #expect(weakHandler == nil)
  }

  // MARK: Questions

  @Test func knowsBothEndsAndTheKernelsView() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    #expect(channel.peerAddress == (try SystemCalls.localAddress(of: peer.rawValue)))
    #expect(channel.localAddress == (try SystemCalls.peerAddress(of: peer.rawValue)))
    let info = try #require(channel.tcpStatistics())
    #expect(info.congestionWindow > 0)
    #expect(info.totalRetransmits == 0)
    channel.close()
    #expect(channel.tcpStatistics() == nil && channel.localAddress == nil && channel.peerAddress == nil)
    #expect(handler.events.isEmpty)
  }
}
