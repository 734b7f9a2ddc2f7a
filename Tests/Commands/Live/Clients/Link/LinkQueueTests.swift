import TapelineInspect
import TapelineLoop
import TapelineRecorder
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineLive

/// Which packets arrive, and when, by a clock of the test's.
@Suite struct LinkQueueTests {
  private let start = MonotonicInstant(nanoseconds: 5_000_000_000)

  private func queue(_ text: String, seed: UInt64 = 1) throws -> LinkQueue {
    LinkQueue(try LinkProfile(text, seed: seed), at: start)
  }

  private func packet(_ id: UInt32, _ direction: LinkPacket.Direction = .down, size: Int = 1_500) -> LinkPacket {
    LinkPacket(direction: direction, id: id, size: size)
  }

  private func after(_ microseconds: Int64) -> MonotonicInstant { start.advanced(byNanoseconds: microseconds * 1_000) }

  @Test("A packet travels for half a round trip, at its time and not before")
  func roundTrip() throws {
    var queue = try queue("rtt=100ms")
    let isHeld = queue.receive(packet(1), at: start)
    #expect(isHeld && queue.next == after(50_000))
    let arrived = [after(49_999), after(50_000)].map { queue.arrived(at: $0).map(\.id) }
    #expect(arrived == [[], [1]] && queue.next == nil)
  }

  @Test("A line carries one packet after the other at its rate, each direction by itself")
  func rate() throws {
    // 1,500 bytes in 1 ms.
    var queue = try queue("down=12Mbit,up=1.2Mbit")
    for id in 1...3 { _ = queue.receive(packet(UInt32(id)), at: start) }
    _ = queue.receive(packet(9, .up), at: start)
    let times = (1...12).map { queue.arrived(at: after(Int64($0) * 1_000)).map(\.id) }
    #expect(times == [[1], [2], [3], [], [], [], [], [], [], [9], [], []])
    #expect(queue.counts.queued == 2 && queue.counts.packets == 4)
    #expect(queue.counts.busy == 10_000_000, "the longest of those that were on their way together")
    _ = queue.receive(packet(4), at: after(20_000))
    #expect(queue.arrived(at: after(30_000)).map(\.id) == [4] && queue.counts.busy == 11_000_000)
  }

  @Test("What finds the queue full is dropped, and the line goes on")
  func overflow() throws {
    var queue = try queue("down=12Mbit,queue=3000B")
    let held = (1...4).map { queue.receive(packet(UInt32($0)), at: start) }
    #expect(held == [true, true, false, false] && queue.counts.overflowed == 2)
    let later = queue.receive(packet(5), at: after(1_000))
    #expect(later)
  }

  @Test("The same seed loses the same packets, and as many as it should")
  func loss() throws {
    func lost(_ seed: UInt64, every gap: Int64) throws -> [Bool] {
      var queue = try queue("rtt=10ms,loss=2%", seed: seed)
      return (0..<10_000).map { !queue.receive(packet(UInt32($0)), at: after(Int64($0) * gap)) }
    }
    let first = try lost(1, every: 10)
    #expect(first == (try lost(1, every: 17)), "whatever the clock says")
    #expect(first != (try lost(2, every: 10)))
    // The interval of 99 % for 10,000 draws.
    #expect((164...237).contains(first.count { $0 }))
  }

  @Test("Jitter changes times, and never the order")
  func jitter() throws {
    var queue = try queue("rtt=20ms,jitter=10ms")
    for id in 0..<100 { _ = queue.receive(packet(UInt32(id)), at: after(Int64(id) * 100)) }
    var arrived: [UInt32] = []
    while let next = queue.next {
      #expect(next >= after(10_000) && next <= after(30_000))
      arrived += queue.arrived(at: next).map(\.id)
    }
    #expect(arrived == Array(0..<100))
  }

  @Test("A trace carries a packet at each of its times, over and over")
  func trace() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("1\n3\n3\n10\n", to: "trace")
    var queue = try queue("trace:\(file)")
    for id in 1...5 { _ = queue.receive(packet(UInt32(id)), at: start) }
    let times = (1...12).map { queue.arrived(at: after(Int64($0) * 1_000)).map(\.id) }
    #expect(times[0] == [1] && times[2] == [2, 3] && times[9] == [4] && times[10] == [5])
    // Two small ones share one.
    for id in 6...7 { _ = queue.receive(packet(UInt32(id), size: 600), at: after(11_500)) }
    let shared = queue.arrived(at: after(13_000)).map(\.id)
    #expect(shared == [6, 7])
  }

  @Test(
    "A mistake has its place, its reason and a remedy",
    arguments: [
      ("slow-5g", 1, "slow-5g is no network"), ("", 1, "is no network"), ("rtt=150", 5, "150 is not a time"),
      ("rtt=1ms,down=5", 14, "5 is not a rate"), ("up=1MB", 4, "1MB is not a rate"), ("loss=2", 6, "2 is not a share"),
      ("loss=100%", 6, "100% is not a share"), ("queue=10B", 7, "10B is not the size"), ("rtt=1ms,jiter=1ms", 9, "no jiter"),
      ("trace:/does/not/exist", 7, "cannot be read"),
    ])
  func mistakes(text: String, column: Int, reason: String) throws {
    let error = try #require(throws: QueryError.self) { _ = try LinkProfile(text) }
    #expect(error.column == column && error.reason.contains(reason), "\(error)")
    #expect(!error.remedy.isEmpty)
  }

  @Test("The named networks are what their settings say")
  func names() throws {
    let slow = try LinkProfile("slow-4g")
    let same = try LinkProfile("rtt=150ms,down=1.6Mbit,up=750kbit")
    #expect(slow.rtt == 150_000_000 && slow.rtt == same.rtt && slow.down == same.down && slow.up == same.up)
    #expect(slow.text == "slow-4g")
  }

  @Test(
    "Where nobody can hold packets, rules come near a network",
    arguments: [
      ("slow-4g", ["*: delay 150ms", "*: rate 200kB/s"]), ("rtt=0.5ms,jitter=10ms", ["*: delay 10.5ms±10ms"]),
      ("down=1kbit,up=1Mbit", ["*: rate 0.125kB/s"]), ("loss=1%", []),
    ])
  func rules(text: String, rules: [String]) throws {
    let profile = try LinkProfile(text)
    #expect(profile.rules == rules)
    #expect(profile.note.contains("--network \(text) delays exchanges"))
    for rule in rules { _ = try RuleParser.parse(rule, environment: [:]) }
  }

  @Test("The rate of a trace is that of its packets of the full size")
  func rateOfTrace() throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write("1\n2\n30\n", to: "trace")
    #expect(try LinkProfile("trace:\(file)").rules == ["*: rate 150kB/s"])
  }
}
