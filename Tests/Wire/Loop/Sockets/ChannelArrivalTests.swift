import Glibc
import TapelineSystem
import TapelineTime
import Testing

@testable import TapelineLoop

/// When bytes came, by the kernel's clock, while the loop was busy with something else.
struct ChannelArrivalTests {
  private static let stall: Int64 = 20_000_000

  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    ProcessSignal.ignoreBrokenPipes()
    try awaitStamps()
  }

  /// Keeps the kernel stamping until the process ends.
  private static let keeper = Result { try SystemCalls.makeSocket(isIPv6: false) }

  /// The kernel begins to stamp a moment after the first socket has asked for it.
  private func awaitStamps() throws {
    SystemCalls.stampArrivals(on: try Self.keeper.get())
    let (channel, peer, handler) = try makeChannel(on: loop)
    SystemCalls.stampArrivals(on: channel.socket)
    handler.onEvent = { [loop] _, _ in
      if handler.instants.last?.clock == .wire { loop.stop() } else { peer.send([0]) }
    }
    peer.send([0])
    loop.serve()
    channel.close()
  }

  /// Waits until the kernel has bytes, then for as long as a loop that is late. Returns when the bytes had come.
  private func stall(until socket: Int32) throws -> MonotonicInstant {
    #expect(try SystemCalls.wait(for: .readable, on: socket, milliseconds: 10_000))
    let arrived = MonotonicInstant.now
    SystemThread.sleep(untilMonotonicNanoseconds: arrived.nanoseconds + Self.stall)
    return arrived
  }

  @Test func bytesCameWhenTheyCameAndNotWhenTheLoopReadThem() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    SystemCalls.stampArrivals(on: channel.socket)
    let before = MonotonicInstant.now
    peer.send(Array("hello".utf8))
    let arrived = try stall(until: channel.socket)
    handler.onEvent = { _, _ in loop.stop() }
    loop.serve()
    let instant = try #require(handler.instants.first)
    #expect(instant.clock == .wire)
    #expect(instant >= before && instant <= arrived)
    #expect(channel.arrival.last == instant)
    #expect(channel.arrival.first == instant && channel.arrival.first.clock == .wire, "one segment")
    #expect(channel.arrival.read.nanoseconds(since: instant) >= Self.stall)
    channel.close()
  }

  /// Sends so many segments, the first of them a while before the others, and has the loop read all of them at once.
  private func arrival(
    of segments: Int, from peer: Peer, at channel: Channel, _ handler: RecordingHandler
  ) throws -> (arrival: Arrival, first: MonotonicInstant) {
    peer.send([0])
    let first = try stall(until: channel.socket)
    for _ in 1..<segments { peer.send([0]) }
    let before = handler.received.count
    handler.onEvent = { _, _ in if handler.received.count == before + segments { loop.stop() } }
    loop.serve()
    #expect(handler.events.last == .received(segments), "one read")
    #expect(handler.instants.last?.clock == .wire)
    return (channel.arrival, first)
  }

  /// The kernel may merge segments that wait, and then knows only when the last of them came.
  @Test func aReadOfSeveralSegmentsEndsWithTheLast() throws {
    for segments in [2, 3] {
      let (channel, peer, handler) = try makeChannel(on: loop)
      try SystemCalls.setNoDelay(peer.rawValue)
      SystemCalls.stampArrivals(on: channel.socket)
      let (arrival, first) = try arrival(of: segments, from: peer, at: channel, handler)
      #expect(arrival.last.clock == .wire && arrival.last > first)
      // Nobody knows whether the first of three is merged with the second. Of two, the stamps tell.
      let isUnmerged = segments == 2 && arrival.first < arrival.last
      #expect(arrival.first.clock == (isUnmerged ? .wire : .loop))
      if isUnmerged { #expect(arrival.first <= first) }
      #expect(arrival.within == arrival.last && arrival.within.clock == .loop)
      channel.close()
    }
  }

  /// Answers that come after reads of several segments, which were not all counted: each is told from those before.
  @Test func oneSegmentIsAloneWhateverCameBefore() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    try SystemCalls.setNoDelay(peer.rawValue)
    SystemCalls.stampArrivals(on: channel.socket)
    for _ in 0..<3 {
      _ = try arrival(of: 3, from: peer, at: channel, handler)
      // The same message goes on: nobody asks.
      _ = try arrival(of: 3, from: peer, at: channel, handler)
      handler.onEvent = { _, event in if event == .wrote(1) { loop.stop() } }
      channel.write([1].span)
      loop.serve()
      let (arrival, first) = try arrival(of: 1, from: peer, at: channel, handler)
      #expect(arrival.first == arrival.last && arrival.first.clock == .wire && arrival.first <= first)
    }
    channel.close()
  }

  @Test func acceptedConnectionsAreStampedFromTheirFirstByte() throws {
    let any = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let bound = try BoundSocket(any, reusePort: false, stampsArrivals: true)
    let address = bound.address
    let listening = try bound.listen(backlog: 1)
    let far = FileDescriptor(owning: try SystemCalls.makeSocket(isIPv6: false))
    _ = try SystemCalls.connect(far.rawValue, to: address.fenced)
    let peer = Peer(far)
    let before = MonotonicInstant.now
    peer.send([1])
    // The bytes wait for somebody to accept their connection.
    let (accepted, _) = try #require(try SystemCalls.accept(listening.rawValue))
    let arrived = try stall(until: accepted)
    listening.discard()
    let handler = RecordingHandler()
    let channel = Channel(loop: loop, descriptor: FileDescriptor(owning: accepted))
    handler.channel = channel
    channel.handler = handler
    handler.onEvent = { _, _ in loop.stop() }
    channel.start()
    loop.serve()
    let instant = try #require(handler.instants.first)
    #expect(instant.clock == .wire)
    #expect(instant >= before && instant <= arrived)
    channel.close()
  }

  @Test func withoutStampsTheLoopTellsTheInstant() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    peer.send([1])
    let arrived = try stall(until: channel.socket)
    handler.onEvent = { _, _ in loop.stop() }
    loop.serve()
    let instant = try #require(handler.instants.first)
    #expect(instant.clock == .loop)
    #expect(instant.nanoseconds(since: arrived) >= Self.stall)
    #expect(channel.arrival.first == instant && channel.arrival.read == instant)
    channel.close()
  }

  /// A local socket takes the option and gives no stamps.
  @Test func localSocketsHaveTheLoopsInstants() throws {
    var ends: [Int32] = [-1, -1]
    try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let near = FileDescriptor(owning: ends[0])
    let peer = Peer(FileDescriptor(owning: ends[1]))
    SystemCalls.stampArrivals(on: near.rawValue)
    let handler = RecordingHandler()
    let channel = Channel(loop: loop, descriptor: near)
    handler.channel = channel
    channel.handler = handler
    handler.onEvent = { _, _ in loop.stop() }
    channel.start()
    peer.send([1])
    loop.serve()
    #expect(handler.received == [1])
    #expect(handler.instants.map(\.clock) == [.loop])
    channel.close()
  }

  /// Nobody can stamp what is no socket, and nobody minds.
  @Test func aRefusalOfStampsIsNoFailure() throws {
    let pipe = try SystemCalls.makePipe(isNonBlocking: true)
    SystemCalls.stampArrivals(on: pipe.read)
    SystemCalls.discard(pipe.read)
    SystemCalls.discard(pipe.write)
  }
}
