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
    #expect(channel.arrival.first <= instant && channel.arrival.first >= before)
    #expect(channel.arrival.read.nanoseconds(since: instant) >= Self.stall)
    channel.close()
  }

  /// The kernel may merge segments that wait, and then knows only when the last of them came.
  @Test func aReadOfSeveralSegmentsEndsWithTheLast() throws {
    let (channel, peer, handler) = try makeChannel(on: loop)
    SystemCalls.stampArrivals(on: channel.socket)
    peer.send([1])
    let first = try stall(until: channel.socket)
    let before = MonotonicInstant.now
    peer.send([2])
    // Both are read at once.
    handler.onEvent = { _, _ in if handler.received.count == 2 { loop.stop() } }
    loop.serve()
    #expect(handler.received == [1, 2])
    let last = try #require(handler.instants.last)
    #expect(last.clock == .wire)
    #expect(last >= before && last >= first)
    #expect(channel.arrival.first <= last)
    channel.close()
  }

  @Test func acceptedConnectionsAreStampedFromTheirFirstByte() throws {
    let any = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let bound = try BoundSocket(any, reusePort: false)
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
