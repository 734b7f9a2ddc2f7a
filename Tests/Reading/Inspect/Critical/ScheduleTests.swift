import TapelineBase
import Testing

@testable import TapelineInspect

@Suite("Schedule")
struct ScheduleTests {
  private static func times(_ start: Int, _ end: Int, ready: Int? = nil) -> ExchangeTimes {
    ExchangeTimes(start: start, ready: ready ?? start, firstByte: end, end: end)
  }

  private static func after(_ source: Int, _ reason: DependencyReason = .order) -> Dependency {
    Dependency(source: source, reason: reason, confidence: 1)
  }

  @Test("The longest chain is the path; what ends beside it has slack, and what is removed saves down to the next path")
  func diamond() {
    // 0 releases 1 and 2; 3 waits for both, and 5 is the client's own.
    let schedule = Schedule(
      [Self.times(0, 100), Self.times(100, 150), Self.times(100, 300), Self.times(305, 400)],
      [[], [Self.after(0)], [Self.after(0)], [Self.after(1), Self.after(2)]])
    #expect(schedule.end == 400)
    #expect(schedule.paths(atMost: 4) == [[0, 2, 3]])
    #expect(schedule.slacks == [0, 150, 0, 0])
    #expect(schedule.savings == [100, 0, 150, 95])
    #expect(schedule.clientTimes == [0, 0, 0, 5])
  }

  @Test("Equal paths are all told, and no exchange on only one of them saves anything")
  func ties() {
    let schedule = Schedule(
      [Self.times(0, 10), Self.times(10, 50), Self.times(10, 50), Self.times(50, 60)],
      [[], [Self.after(0)], [Self.after(0)], [Self.after(1), Self.after(2)]])
    #expect(Set(schedule.paths(atMost: 4)) == [[0, 1, 3], [0, 2, 3]])
    #expect(schedule.paths(atMost: 1).count == 1)
    #expect(schedule.savings == [10, 0, 0, 10])
  }

  @Test("Without an exchange that held the connection, the next is sent when the client wants it")
  func connection() {
    var waiting = Self.after(0, .connection)
    waiting.delayed = .sending
    let schedule = Schedule([Self.times(0, 100), Self.times(0, 180, ready: 100)], [[], [waiting]])
    #expect(schedule.paths(atMost: 4) == [[0, 1]])
    #expect(schedule.savings == [100, 80])
  }

  @Test("No exchanges")
  func empty() {
    let schedule = Schedule([], [])
    #expect(schedule.end == 0)
    #expect(schedule.paths(atMost: 4).isEmpty)
  }

  @Test("Slack and savings are what a replay of the schedule shows", arguments: 1...40)
  func replay(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let drawn = Replay.draw(&random)
    let schedule = Schedule(drawn.times, drawn.dependencies)
    let replay = Replay(drawn.times, schedule.dependencies)
    #expect(replay.end(removing: nil, lengthening: nil) == schedule.end)
    for index in drawn.times.indices {
      #expect(schedule.end - replay.end(removing: index, lengthening: nil) == schedule.savings[index], "without \(index)")
      let slack = try #require(schedule.slacks[index])
      #expect(replay.end(removing: nil, lengthening: (index, slack)) == schedule.end, "\(index) with its slack")
      #expect(replay.end(removing: nil, lengthening: (index, slack + 1)) == schedule.end + 1, "\(index) with more")
    }
  }
}

/// Replays a schedule exchange by exchange: slow and simple.
private struct Replay {
  let times: [ExchangeTimes]
  let dependencies: [[Dependency]]

  init(_ times: [ExchangeTimes], _ dependencies: [[Dependency]]) {
    self.times = times
    self.dependencies = dependencies
  }

  static func draw(_ random: inout SeededGenerator) -> (times: [ExchangeTimes], dependencies: [[Dependency]]) {
    var times: [ExchangeTimes] = []
    for _ in 0..<30 {
      let start = Int.random(in: 0...300, using: &random)
      let ready = start + Int.random(in: 0...30, using: &random)
      let first = ready + Int.random(in: 0...60, using: &random)
      times.append(
        ExchangeTimes(start: start, ready: ready, firstByte: first, end: first + Int.random(in: 1...60, using: &random)))
    }
    times.sort { ($0.ready, $0.start) < ($1.ready, $1.start) }
    let dependencies = times.indices.map { index -> [Dependency] in
      var found: [Dependency] = []
      for source in 0..<index where Int.random(in: 0..<4, using: &random) == 0 {
        if times[source].end <= times[index].start {
          found.append(Dependency(source: source, reason: .order, confidence: 1))
        } else if times[source].firstByte <= times[index].start {
          found.append(Dependency(source: source, reason: .mention, confidence: 1, anchor: .firstByte))
        } else if times[source].end <= times[index].ready {
          found.append(Dependency(source: source, reason: .connection, confidence: 1, delayed: .sending))
        }
      }
      return found
    }
    return (times, dependencies)
  }

  func end(removing removed: Int?, lengthening longer: (index: Int, by: Int)?) -> Int {
    var replayed: [ExchangeTimes] = []
    for (index, old) in times.enumerated() {
      let releases = dependencies[index].filter { $0.delayed == .start }
      let turns = dependencies[index].filter { $0.delayed == .sending }
      let gap = releases.map { times[$0.source].moment(of: $0.anchor) }.max().map { old.start - $0 }
      let start = gap.map { gap in gap + (releases.map { replayed[$0.source].moment(of: $0.anchor) }.max() ?? 0) } ?? old.start
      var ready = turns.isEmpty ? start + old.ready - old.start : start
      if let lag = turns.map({ times[$0.source].end }).max().map({ old.ready - $0 }) {
        // What is removed leaves its connection when it would have had it.
        ready = max(
          ready, (turns.map { $0.source == removed ? replayed[$0.source].ready : replayed[$0.source].end }.max() ?? 0) + lag)
      }
      let added = longer.map { $0.index == index ? $0.by : 0 } ?? 0
      // The added time comes at the beginning, so that it delays the first byte, too.
      let sent = ready + added
      var new = ExchangeTimes(
        start: start, ready: sent, firstByte: sent + old.firstByte - old.ready, end: sent + old.end - old.ready)
      if index == removed { new = ExchangeTimes(start: start, ready: ready, firstByte: start, end: start) }
      replayed.append(new)
    }
    return replayed.map(\.end).max() ?? 0
  }
}
