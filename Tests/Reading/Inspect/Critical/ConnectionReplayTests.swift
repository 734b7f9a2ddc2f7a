import TapelineHAR
import Testing

@testable import TapelineInspect

@Suite("Replay of occupied connections")
struct ConnectionReplayTests {
  @Test("What waits takes the connection that is free first, whichever it had")
  func another() {
    // Two connections: `/c` waits, and gets that of `/a`. Without `/b` it would not have waited either.
    let path = CriticalPathTests.path(of: [
      CriticalPathTests.entry("/a", 0, 100, connection: "1"), CriticalPathTests.entry("/b", 0, 300, connection: "2"),
      CriticalPathTests.entry("/c", 10, 490, blocked: 90, connection: "1"),
    ])
    #expect(path.paths == [[0, 2]])
    #expect(path.rows.map { Int($0.saving.rounded()) } == [90, 90, 200])
  }

  @Test("A connection that was open is not opened again, and one that was not must be")
  func opening() {
    var first = CriticalPathTests.entry("/a", 0, 100, connection: "1")
    first.timings.connect = 40
    first.timings.wait = 59
    let path = CriticalPathTests.path(of: [
      first, CriticalPathTests.entry("/b", 10, 190, blocked: 90, connection: "1"),
    ])
    // `/b` must open the connection that `/a` opened.
    #expect(path.rows.map { Int($0.saving.rounded()) } == [50, 100])
  }

  @Test("Without an exchange that waited for a connection there is nothing to replay")
  func free() {
    let finder = DependencyFinder(
      [CriticalPathTests.entry("/a", 0, 100, connection: "1"), CriticalPathTests.entry("/b", 200, 100, connection: "1")]
        .enumerated().compactMap { CriticalExchange($0.element, number: $0.offset + 1) })
    let schedule = Schedule(finder.times, finder.dependencies)
    #expect(ConnectionReplay(schedule, finder.connections, openings: [0, 0]) == nil)
  }
}
