import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineLoop

/// The output of several channels in one turn, by one call of the kernel and, where that is refused, one by one.
@Suite(.serialized)
struct JointOutputTests {
  private typealias End = (channel: Channel, peer: Peer, handler: RecordingHandler)

  private func makeLoop(isRefused: Bool) throws -> EventLoop {
    ProcessSignal.ignoreBrokenPipes()
    let loop = try EventLoop()
    if isRefused { loop.jointOutput = JointOutput(ring: nil) }
    return loop
  }

  @Test(arguments: [false, true])
  func allLeavesInOneTurn(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let ends = try (0..<100).map { _ in try makeChannel(on: loop) }
    for (index, end) in ends.enumerated() { end.channel.write(Array("output \(index)".utf8).span) }
    let before = MonotonicInstant.now
    loop.settle(turns: 1)
    let after = MonotonicInstant.now
    for (index, end) in ends.enumerated() {
      end.peer.receive()
      #expect(end.peer.received == Array("output \(index)".utf8))
      #expect(end.handler.events == [.wrote(end.peer.received.count)])
      #expect(end.handler.instants.allSatisfy { $0 >= before && $0 <= after })
      #expect(end.channel.bufferedBytes == 0)
      end.channel.close()
    }
  }

  @Test(arguments: [false, true])
  func theKernelsRestComesLater(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let full = try makeChannel(on: loop, bufferSize: 4096)
    full.channel.write([UInt8](repeating: 1, count: 200_000).span)
    loop.settle()
    #expect(full.handler.written < 200_000)
    let other = try makeChannel(on: loop)
    for _ in 0..<3 {
      full.channel.write([2].span)
      other.channel.write([3].span)
      loop.settle()
    }
    #expect(full.channel.bufferedBytes > 0)
    #expect(other.handler.events == [.wrote(1), .wrote(1), .wrote(1)])
    let reader = Timer.repeating(on: loop) {
      full.peer.receive()
      if full.peer.received.count == 200_003 { loop.stop() }
    }
    loop.serve()
    reader.cancel()
    #expect(full.peer.received.suffix(4) == [1, 2, 2, 2])
    full.channel.close()
    other.channel.close()
  }

  @Test(arguments: [false, true])
  func largeOutputAndEndsLeaveInTheSameTurn(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let ends = try (0..<3).map { _ in try makeChannel(on: loop) }
    let large = [UInt8](repeating: 7, count: 40_000)
    ends[0].channel.write([1].span)
    ends[1].channel.withOutput { $0 += Array("head".utf8) }
    ends[1].channel.write(large)
    ends[2].channel.write([2].span)
    for end in ends { end.channel.shutdownOutput() }
    loop.settle()
    for end in ends { end.peer.receive() }
    #expect(ends.map(\.peer.received) == [[1], Array("head".utf8) + large, [2]])
    #expect(ends.allSatisfy { $0.peer.sawEnd })
    for end in ends { end.channel.close() }
  }

  @Test(arguments: [false, true])
  func aHandlerThatIsToldMayCloseAnotherChannel(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let ends = try (0..<3).map { _ in try makeChannel(on: loop) }
    ends[0].handler.onEvent = { _, _ in ends[1].channel.close() }
    for end in ends { end.channel.write([1].span) }
    loop.settle()
    for end in ends { end.peer.receive() }
    #expect(ends[1].handler.events.isEmpty, "nothing is reported after close")
    #expect(ends[1].peer.sawEnd)
    #expect(ends[2].peer.received == [1])
    ends[0].channel.close()
    ends[2].channel.close()
  }

  @Test(arguments: [false, true])
  func aHandlerThatIsToldMayWriteOnAnotherChannel(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let ends = try (0..<3).map { _ in try makeChannel(on: loop) }
    ends[0].handler.onEvent = { _, _ in
      ends[1].channel.write([2].span)
      ends[1].channel.flush()
      ends[1].channel.write([3].span)
    }
    for end in ends { end.channel.write([1].span) }
    loop.settle()
    for end in ends { end.peer.receive() }
    #expect(ends.map(\.peer.received) == [[1], [1, 2, 3], [1]])
    #expect(ends.map(\.handler.written) == [1, 3, 1])
    for end in ends { end.channel.close() }
  }

  @Test(arguments: [false, true])
  func aResetIsReportedToItsChannelAlone(isRefused: Bool) throws {
    let loop = try makeLoop(isRefused: isRefused)
    let ends = try (0..<3).map { _ in try makeChannel(on: loop) }
    ends[1].channel.pauseReading()
    ends[1].peer.reset()
    for end in ends { end.channel.write([1].span) }
    loop.settle()
    #expect(ends[1].handler.failures == [.reset])
    #expect(!ends[1].channel.isOpen)
    for end in [ends[0], ends[2]] {
      #expect(end.handler.events == [.wrote(1)])
      end.channel.close()
    }
  }
}
