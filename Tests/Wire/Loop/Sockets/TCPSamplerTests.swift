import Glibc
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineLoop

@Suite("Samples of TCP")
struct TCPSamplerTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
    ProcessSignal.ignoreBrokenPipes()
  }

  private func now(after milliseconds: Int64) -> MonotonicInstant { .now.advanced(byNanoseconds: milliseconds * 1_000_000) }

  @Test("A connection is asked about while bytes move, once more when they rest, and not again until they move")
  func whileBytesMove() throws {
    let (channel, peer, _) = try makeChannel(on: loop)
    #expect(loop.sampler.isIdle)
    peer.send([1, 2, 3])
    loop.settle()
    #expect(!loop.sampler.isIdle)
    let start = channel.beginTCPHistory(at: MonotonicInstant(nanoseconds: 0))
    loop.sampler.tick(at: now(after: 1))
    #expect(channel.series?.samples.count == 1 && !loop.sampler.isIdle)
    loop.sampler.tick(at: now(after: 2))
    #expect(channel.series?.samples.count == 2 && loop.sampler.isIdle)
    loop.sampler.tick(at: now(after: 3))
    #expect(channel.series?.samples.count == 2)
    channel.write([UInt8](repeating: 1, count: 500).span)
    loop.settle()
    loop.sampler.tick(at: now(after: 4))
    #expect(channel.series?.samples.count == 3)
    let history = try #require(channel.tcpHistory(since: start, at: now(after: 100)))
    #expect(history.samples.count == 5)
    #expect(history.end.statistics.traffic.bytesReceived == 3)
    #expect(history.end.statistics.traffic.bytesAcknowledged >= 500)
    #expect(history.sends)
    let unheard = channel.beginTCPHistory(at: now(after: 100))
    #expect(channel.tcpHistory(since: unheard, at: now(after: 100))?.samples.count == 1, "nothing was asked meanwhile")
    channel.close()
    #expect(loop.sampler.isIdle)
    #expect(channel.tcpHistory(since: start, at: now(after: 200))?.samples.count == 5, "known after the end")
  }

  @Test("A connection whose peer does not read stays in the samples: its kernel counts the time as the peer's")
  func receiverLimited() throws {
    let (channel, peer, _) = try makeChannel(on: loop, bufferSize: 4_096)
    let start = channel.beginTCPHistory(at: .now)
    channel.write([UInt8](repeating: 7, count: 1_000_000).span)
    // The kernel's own clock must go on.
    loop.settle(turns: 60)
    loop.sampler.tick(at: now(after: 1))
    loop.sampler.tick(at: now(after: 2))
    #expect(!loop.sampler.isIdle, "the kernel holds bytes that it cannot send")
    let end = try #require(channel.tcpHistory(since: start, at: now(after: 1_000))?.end)
    #expect(end.statistics.traffic.busyMilliseconds > 0)
    #expect(end.statistics.traffic.windowLimitedMilliseconds > 0)
    peer.receive()
    channel.close()
    #expect(loop.sampler.isIdle)
  }

  @Test("A tick asks about a bounded number of connections, and goes on with the others")
  func bounded() throws {
    loop.sampler.questionsPerTick = 4
    let connections = try (0..<6).map { _ in try makeChannel(on: loop) }
    for (channel, _, _) in connections {
      _ = channel.beginTCPHistory(at: .now)
      channel.noteActivity()
    }
    loop.sampler.tick(at: now(after: 1))
    #expect(connections.filter { $0.channel.series?.samples.count == 1 }.count == 4)
    loop.sampler.tick(at: now(after: 2))
    #expect(connections.allSatisfy { $0.channel.series?.last != nil })
    for (channel, _, _) in connections { channel.close() }
    #expect(loop.sampler.isIdle)
  }

  @Test("Nobody is asked between exchanges, whatever moves, and nothing is kept")
  func betweenExchanges() throws {
    let (channel, peer, _) = try makeChannel(on: loop)
    _ = channel.beginTCPHistory(at: .now)
    peer.send([1, 2, 3])
    loop.settle()
    loop.sampler.tick(at: now(after: 1))
    channel.endTCPHistories()
    #expect(channel.series == nil)
    peer.send([4])
    loop.settle()
    loop.sampler.tick(at: now(after: 2))
    #expect(channel.series == nil && !loop.sampler.isIdle, "the next exchange may begin soon")
    loop.sampler.tick(at: now(after: 3))
    #expect(channel.series == nil && loop.sampler.isIdle)
    let start = channel.beginTCPHistory(at: now(after: 4))
    peer.send([5, 6])
    loop.settle()
    loop.sampler.tick(at: now(after: 5))
    let history = try #require(channel.tcpHistory(since: start, at: now(after: 100)))
    #expect(history.samples.count == 3 && history.end.statistics.traffic.bytesReceived == 6)
    channel.close()
  }

  @Test("The kernel probes the peer of a connection of our own once that rests")
  func probes() throws {
    let (channel, peer, _) = try makeChannel(on: loop)
    channel.probeWhenSilent()
    loop.sampler.tick(at: now(after: 1))
    peer.send([1])
    loop.settle()
    loop.sampler.tick(at: now(after: 2))
    #expect(option(SO_KEEPALIVE, of: channel.socket) == 0 && !loop.sampler.isIdle)
    loop.sampler.tick(at: now(after: 3))
    #expect(option(SO_KEEPALIVE, of: channel.socket) == 1 && loop.sampler.isIdle)
    #expect(tcpOption(TCP_KEEPIDLE, of: channel.socket) == 60 && tcpOption(TCP_KEEPINTVL, of: channel.socket) == 15)
    channel.close()
  }

  @Test("Where nothing is sampled, the kernel is told at once")
  func probesWithoutSamples() throws {
    let loop = try EventLoop(clock: .loop)
    let (channel, _, _) = try makeChannel(on: loop)
    channel.probeWhenSilent()
    #expect(option(SO_KEEPALIVE, of: channel.socket) == 1 && loop.sampler.isIdle)
    channel.close()
  }

  @Test("Paused reading is part of a sample")
  func paused() throws {
    let (channel, _, _) = try makeChannel(on: loop)
    channel.pauseReading()
    #expect(channel.beginTCPHistory(at: .now).isPaused)
    #expect(channel.takeSample(at: .now) == false)
    #expect(channel.series?.last?.isPaused == true)
    channel.close()
  }

  @Test("The timer runs by itself, and ends with the traffic")
  func timer() throws {
    let (channel, peer, _) = try makeChannel(on: loop)
    _ = channel.beginTCPHistory(at: .now)
    peer.send([1])
    let watch = Timer.repeating(on: loop) { if channel.series?.last != nil, loop.sampler.isIdle { loop.stop() } }
    loop.serve()
    watch.cancel()
    #expect(try #require(channel.series).samples.count >= 2)
    channel.close()
  }
}
