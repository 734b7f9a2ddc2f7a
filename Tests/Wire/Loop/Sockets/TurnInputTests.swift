import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineLoop

/// Several channels have input in one turn, and the handler of one may end or pause another.
@Suite(.serialized)
struct TurnInputTests {
  private typealias End = (channel: Channel, peer: Peer, handler: RecordingHandler)

  let loop: EventLoop

  init() throws {
    ProcessSignal.ignoreBrokenPipes()
    loop = try EventLoop()
  }

  /// Two channels; the first of them to be served does something to the other.
  private func makeRivals(_ act: @escaping (_ served: End, _ other: End) -> Void) throws -> [End] {
    let ends = [try makeChannel(on: loop), try makeChannel(on: loop)]
    var hasActed = false
    for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
      end.handler.onEvent = { _, event in
        guard case .received = event, !hasActed else { return }
        hasActed = true
        act(end, other)
      }
    }
    return ends
  }

  /// Two channels, the first of which has input and then pauses the other.
  private func makePausingPair() throws -> (first: End, second: End) {
    let first = try makeChannel(on: loop)
    let second = try makeChannel(on: loop)
    first.handler.onEvent = { _, _ in second.channel.pauseReading() }
    first.peer.send([1])
    return (first, second)
  }

  private func close(_ ends: [End]) {
    for end in ends { end.channel.close() }
  }

  @Test func eachHandlerGetsItsOwnBytes() throws {
    let ends = try (0..<100).map { _ in try makeChannel(on: loop) }
    for round in 0..<3 {
      for (index, end) in ends.enumerated() { end.peer.send(Array("input \(index) of round \(round).".utf8)) }
      loop.settle(turns: 2)
    }
    for (index, end) in ends.enumerated() {
      #expect(end.handler.received == Array((0..<3).flatMap { "input \(index) of round \($0).".utf8 }))
      #expect(end.handler.events.count == 3)
    }
    close(ends)
  }

  @Test func muchInputArrivesWholeBesideLittle() throws {
    let ends = try (0..<12).map { _ in try makeChannel(on: loop) }
    let sizes = ends.indices.map { $0 % 3 == 0 ? 700_000 : $0 % 3 == 1 ? 66_000 : 30 }
    let inputs = zip(ends.indices, sizes).map { index, size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ index) } }
    var sent = [Int](repeating: 0, count: ends.count)
    let feeder = Timer.repeating(on: loop) {
      for (index, end) in ends.enumerated() where sent[index] < sizes[index] {
        sent[index] += end.peer.send(Array(inputs[index][sent[index]...]))
      }
      if zip(ends, sizes).allSatisfy({ end, size in end.handler.received.count == size }) { loop.stop() }
    }
    loop.serve()
    feeder.cancel()
    for (end, input) in zip(ends, inputs) { #expect(end.handler.received == input) }
    close(ends)
  }

  @Test func aChannelThatAnotherHandlerClosesReportsNothing() throws {
    let ends = try makeRivals { _, other in other.channel.close() }
    for end in ends { end.peer.send([1, 2, 3]) }
    loop.settle()
    #expect(ends.map(\.handler.events.count).sorted() == [0, 1])
    close(ends)
  }

  @Test func aChannelThatAnotherHandlerLeavesIsFlushed() throws {
    let ends = try makeRivals { _, other in
      other.channel.write([9].span)
      other.channel.closeAfterFlush()
    }
    for end in ends { end.peer.send([1, 2, 3]) }
    loop.settle()
    let left = try #require(ends.first { $0.handler.received.isEmpty })
    #expect(left.handler.events == [.wrote(1)])
    left.peer.receive()
    #expect(left.peer.received == [9])
    #expect(left.peer.sawEnd && !left.peer.sawReset)
    close(ends)
  }

  @Test func inputWaitsWhileAnotherHandlerPausesItsChannel() throws {
    let ends = try makeRivals { _, other in other.channel.pauseReading() }
    for end in ends {
      end.peer.send([1, 2, 3])
      end.peer.shutdownOutput()
    }
    loop.settle()
    let paused = try #require(ends.first { $0.handler.events.isEmpty })
    paused.channel.resumeReading()
    #expect(paused.handler.events.isEmpty, "delivered by the loop, not inside resume")
    loop.settle()
    #expect(paused.handler.received == [1, 2, 3])
    #expect(paused.handler.events == [.received(3), .end])
    close(ends)
  }

  @Test func inputThatWaitedComesBeforeLaterInput() throws {
    let ends = try makeRivals { _, other in other.channel.pauseReading() }
    for end in ends { end.peer.send([1, 2, 3]) }
    loop.settle()
    let paused = try #require(ends.first { $0.handler.events.isEmpty })
    paused.peer.send([4, 5])
    loop.settle()
    #expect(paused.handler.events.isEmpty)
    paused.channel.resumeReading()
    loop.settle()
    #expect(paused.handler.received == [1, 2, 3, 4, 5])
    close(ends)
  }

  @Test func anEndWaitsWhileAnotherHandlerPausesItsChannel() throws {
    let (first, second) = try makePausingPair()
    second.peer.shutdownOutput()
    loop.settle()
    // Whichever was served first.
    let wasPaused = second.handler.events.isEmpty
    second.channel.resumeReading()
    loop.settle()
    #expect(second.handler.events == [.end])
    #expect(wasPaused || second.handler.instants.count == 1)
    close([first, second])
  }

  @Test func aResetIsReportedEvenWhileAnotherHandlerPausesTheChannel() throws {
    let (first, second) = try makePausingPair()
    second.peer.reset()
    loop.settle()
    second.channel.resumeReading()
    loop.settle()
    #expect(second.handler.events == [.failed(.reset)])
    #expect(!second.channel.isOpen)
    first.channel.close()
  }

  // MARK: Timers

  @Test func inputIsServedBeforeATimerThatIsDue() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    var elapsed = false
    let timer = Timer(loop: loop) {
      elapsed = true
      loop.stop()
    }
    handler.onEvent = { _, _ in
      timer.cancel()
      loop.stop()
    }
    timer.start(at: .now)
    peer.send([1])
    loop.serve()
    loop.settle()
    #expect(handler.received == [1])
    #expect(!elapsed, "what it waited for had come")
    channel.close()
  }

  @Test func aTimerThatInputEndsDoesNotElapse() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    var elapsed = false
    var timer: Timer? = Timer(loop: loop) {
      elapsed = true
      loop.stop()
    }
    timer?.start(at: .now)
    handler.onEvent = { _, _ in
      timer = nil
      loop.stop()
    }
    peer.send([1])
    loop.serve()
    loop.settle()
    #expect(handler.received == [1])
    #expect(!elapsed)
    channel.close()
  }
}
