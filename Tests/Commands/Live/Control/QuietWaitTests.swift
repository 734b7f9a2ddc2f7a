import TapelineTime
import Testing

@testable import TapelineLive

@Suite("Quiet wait")
struct QuietWaitTests {
  private func step(
    inFlight: Int, streams: Int = 0, openTunnels: Int = 5, countsStreams: Bool = false, quietMilliseconds: Int?,
    afterMilliseconds time: Int64
  ) -> QuietWait.Step {
    let traffic = RecordingStatus.Traffic(
      inFlight: inFlight, openTunnels: openTunnels, clients: 6, begun: 7, quietMilliseconds: quietMilliseconds, streams: streams)
    let wait = QuietWait(
      quiet: .milliseconds(500), timeout: .seconds(2), countsStreams: countsStreams, start: MonotonicInstant(nanoseconds: 1_000))
    return wait.step(for: traffic, at: MonotonicInstant(nanoseconds: 1_000 + time * 1_000_000))
  }

  @Test("The quiet time counts from the start of the wait, however long nothing had happened before")
  func start() {
    #expect(step(inFlight: 0, quietMilliseconds: nil, afterMilliseconds: 0) == .ask(after: .milliseconds(500)))
    #expect(step(inFlight: 0, quietMilliseconds: 60_000, afterMilliseconds: 100) == .ask(after: .milliseconds(400)))
    #expect(step(inFlight: 0, quietMilliseconds: nil, afterMilliseconds: 500) == .quiet)
  }

  @Test("It is asked again when it could be quiet for long enough")
  func quiet() {
    #expect(step(inFlight: 0, quietMilliseconds: 20, afterMilliseconds: 600) == .ask(after: .milliseconds(480)))
    #expect(step(inFlight: 0, quietMilliseconds: 499, afterMilliseconds: 900) == .ask(after: .milliseconds(1)))
    #expect(step(inFlight: 0, quietMilliseconds: 500, afterMilliseconds: 900) == .quiet)
  }

  @Test("While something is in flight it is asked again soon, and tunnels do not count")
  func busy() {
    #expect(step(inFlight: 1, quietMilliseconds: 900, afterMilliseconds: 1_000) == .ask(after: .milliseconds(20)))
  }

  @Test("Streams do not count, unless they are asked for: then tunnels count as well")
  func streams() {
    #expect(step(inFlight: 2, streams: 2, quietMilliseconds: 500, afterMilliseconds: 900) == .quiet)
    #expect(step(inFlight: 2, streams: 1, quietMilliseconds: 500, afterMilliseconds: 900) == .ask(after: .milliseconds(20)))
    let soon = QuietWait.Step.ask(after: .milliseconds(20))
    #expect(
      step(inFlight: 1, streams: 1, openTunnels: 0, countsStreams: true, quietMilliseconds: 500, afterMilliseconds: 900) == soon)
    #expect(step(inFlight: 0, openTunnels: 1, countsStreams: true, quietMilliseconds: 500, afterMilliseconds: 900) == soon)
    #expect(step(inFlight: 0, openTunnels: 0, countsStreams: true, quietMilliseconds: 500, afterMilliseconds: 900) == .quiet)
  }

  @Test("There is an end to it, and a last look at that time")
  func timeout() {
    #expect(step(inFlight: 1, quietMilliseconds: 1, afterMilliseconds: 1_995) == .ask(after: .milliseconds(5)))
    #expect(step(inFlight: 1, quietMilliseconds: 1, afterMilliseconds: 2_000) == .timedOut)
    #expect(step(inFlight: 0, quietMilliseconds: 499, afterMilliseconds: 2_000) == .timedOut)
    #expect(step(inFlight: 0, quietMilliseconds: 500, afterMilliseconds: 2_000) == .quiet)
  }
}
