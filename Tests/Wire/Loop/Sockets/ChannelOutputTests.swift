import TapelineSystem
import Testing

@testable import TapelineLoop

/// Writing, over real TCP connections.
struct ChannelOutputTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    ProcessSignal.ignoreBrokenPipes()
  }

  @Test func whatOneCallbackProducesLeavesInOneWrite() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.withOutput { $0 += Array("head ".utf8) }
    channel.write(Array("body ".utf8).span)
    channel.write(Array("end".utf8))
    #expect(channel.bufferedBytes == 13)
    loop.settle()
    peer.receive()
    #expect(peer.received == Array("head body end".utf8))
    #expect(handler.events == [.wrote(13)])
    #expect(channel.bufferedBytes == 0)
    channel.close()
  }

  @Test func bytesAreUnreportedUntilTheHandlerKnows() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.write(Array("waits".utf8).span)
    #expect(channel.unreportedBytes == 5)
    channel.flush()
    #expect(channel.bufferedBytes == 0)
    #expect(channel.unreportedBytes == 5, "taken by the kernel, and not told yet")
    handler.onEvent = { channel, _ in #expect(channel.unreportedBytes == 0) }
    loop.settle()
    peer.receive()
    #expect(peer.received == Array("waits".utf8))
    #expect(handler.events == [.wrote(5)])
    channel.close()
  }

  @Test func aLargeSpanLeavesAtOnceBehindWhatWaits() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    let body = [UInt8](repeating: 7, count: WriteQueue.largeSize)
    channel.withOutput { $0 += Array("head".utf8) }
    channel.write(body.span)
    #expect(channel.bufferedBytes == 0)
    #expect(handler.events.isEmpty, "reported when the caller has returned")
    peer.receive()
    #expect(peer.received == Array("head".utf8) + body)
    loop.settle()
    #expect(handler.events == [.wrote(4 + body.count)])
    channel.close()
  }

  @Test func aLargeChunkLeavesWithItsFrame() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    let chunk = [UInt8](repeating: 3, count: 20_000)
    channel.withOutput { $0 += Array("4e20\r\n".utf8) }
    channel.write(chunk)
    channel.withOutput { $0 += Array("\r\n".utf8) }
    loop.settle()
    peer.receive()
    #expect(peer.received == Array("4e20\r\n".utf8) + chunk + Array("\r\n".utf8))
    #expect(handler.events == [.wrote(20_008)])
    channel.close()
  }

  @Test func flushDoesNotWaitForTheEndOfTheCallback() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.withOutput { $0.append(1) }
    channel.flush()
    channel.flush()
    peer.receive()
    #expect(peer.received == [1])
    #expect(handler.events.isEmpty)
    loop.settle()
    #expect(handler.events == [.wrote(1)])
    channel.close()
  }

  @Test func tenThousandSmallWritesArriveInOrder() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    var expected: [UInt8] = []
    for index in 0..<10_000 {
      let line = Array("line \(index)\n".utf8)
      expected += line
      channel.write(line.span)
    }
    let reader = Timer.repeating(on: loop) {
      peer.receive()
      if peer.received.count == expected.count { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(peer.received == expected)
    #expect(handler.written == expected.count)
    channel.close()
  }

  @Test func aSlowReaderHoldsTheProducerUp() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 8192)
    let total = 1_500_000
    var produced = 0
    var most = 0
    func produce() {
      while produced < total, !channel.isAboveHighWater {
        let chunk = (0..<10_000).map { UInt8(truncatingIfNeeded: (produced + $0) &* 13) }
        produced += chunk.count
        channel.write(chunk.span)
      }
      most = max(most, channel.bufferedBytes)
    }
    handler.onEvent = { _, event in
      if event == .drained { produce() }
    }
    produce()
    let reader = Timer.repeating(on: loop) {
      peer.receive(limit: 100_000)
      if peer.received.count == total { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(peer.received == (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    #expect(most < Channel.highWaterMark + 10_000, "what waits is bounded, whatever is to come")
    #expect(handler.events.contains(.drained))
    channel.close()
  }

  @Test func aPartialWriteIsReportedWhileTheRestWaits() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    channel.write([UInt8](repeating: 1, count: 200_000).span)
    #expect(channel.bufferedBytes > 0)
    loop.settle()
    #expect(handler.written > 0 && handler.written + channel.bufferedBytes == 200_000)
    channel.close()
    peer.close()
  }

  @Test func aWriteOfNothingIsToldToo() throws {
    let (channel, peer, handler) = try makeChannel(on: loop, bufferSize: 4096)
    // Whatever room the kernel has, the next byte finds none.
    for size in [4096, 1] {
      let filling = [UInt8](repeating: 0, count: size)
      var result = IOResult.done(size)
      while result != .wouldBlock {
        result = try unsafe filling.withUnsafeBytes { bytes throws(SystemCallError) in
          try unsafe SystemCalls.write(channel.socket, from: bytes)
        }
      }
    }
    channel.write([1].span)
    loop.settle()
    #expect(channel.bufferedBytes == 1 && handler.events.isEmpty && handler.blocks == 1)
    channel.close()
    peer.close()
  }

  @Test func aFastProducerDoesNotStarveTheLoop() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    handler.onEvent = { channel, event in
      if case .wrote = event { channel.withOutput { $0.append(1) } }
    }
    channel.withOutput { $0.append(1) }
    loop.settle()
    #expect(handler.events.count > 1)
    channel.close()
    peer.close()
  }

  @Test func outputAfterTheEndGoesNowhere() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    channel.shutdownOutput()
    channel.withOutput { _ in Issue.record("output has ended") }
    channel.write([1].span)
    channel.write([1])
    channel.flush()
    loop.settle()
    peer.receive()
    #expect(peer.received.isEmpty && peer.sawEnd)
    #expect(handler.events.isEmpty)
    channel.close()
    channel.withOutput { _ in Issue.record("the channel is closed") }
    channel.write([1].span)
    channel.flush()
    channel.shutdownOutput()
    channel.closeAfterFlush()
    loop.settle()
    #expect(handler.events.isEmpty)
  }

  @Test func aThrowingBodyKeepsWhatItHadWritten() throws {
    struct Refusal: Error {}
    let (channel, peer, _) = try makeChannel(on: loop)
    #expect(throws: Refusal.self) {
      try channel.withOutput { output throws(Refusal) in
        output.append(1)
        throw Refusal()
      }
    }
    channel.withOutput { $0.append(2) }
    loop.settle()
    peer.receive()
    #expect(peer.received == [1, 2])
    channel.close()
  }
}
