import TapelineTime
import Testing

/// The rests of a thread whose work can wait, by clocks that the test moves.
@Suite("Pace of a thread that gives way")
struct ProcessorPaceTests {
  /// The three clocks, in microseconds.
  private struct Clocks {
    var now: Int64 = 0
    var thread: Int64 = 0
    var others: Int64 = 0

    /// Time goes by, in which this thread and the others work.
    mutating func pass(_ elapsed: Int64, working thread: Int64 = 0, others: Int64 = 0) {
      now += elapsed
      self.thread += thread
      self.others += others
    }

    var times: ProcessorPace.Times {
      ProcessorPace.Times(
        now: MonotonicInstant(nanoseconds: now * 1_000), thread: thread * 1_000, process: (thread + others) * 1_000)
    }
  }

  /// After a window in which the others took the whole of one processor.
  private static func busy(restFactor: Int64 = 49) -> (pace: ProcessorPace, clocks: Clocks) {
    var clocks = Clocks()
    var pace = ProcessorPace(restFactor: restFactor, processors: 2, clocks.times)
    clocks.pass(100_000, others: 100_000)
    pace.note(clocks.times)
    return (pace, clocks)
  }

  @Test("Beside a program that has little to do, the thread never rests, however much it works")
  func quiet() {
    var clocks = Clocks()
    var pace = ProcessorPace(restFactor: 49, processors: 2, clocks.times)
    for _ in 0..<20 {
      clocks.pass(50_000, working: 50_000, others: 20_000)
      pace.note(clocks.times)
      #expect(!pace.isBusy && pace.rest(at: clocks.times.now) == .zero)
      // Also for an owner who has looked at the clock before.
      #expect(pace.rest(at: MonotonicInstant(nanoseconds: 0)) == .zero)
    }
  }

  @Test("The rest of the program is busy when it uses a quarter of the machine", arguments: [1, 2, 8])
  func machine(processors: Int) {
    for (part, isBusy) in [(249, false), (250, true)] {
      var clocks = Clocks()
      var pace = ProcessorPace(restFactor: 49, processors: processors, clocks.times)
      clocks.pass(100_000, working: 10_000, others: Int64(100 * part * processors))
      pace.note(clocks.times)
      #expect(pace.isBusy == isBusy)
      #expect(pace.rest(at: clocks.times.now) == (isBusy ? .milliseconds(490) : .zero))
    }
  }

  @Test(
    "A thread that rests 24 times as long as it works has a 25th of a processor, however its rounds are cut",
    arguments: [1, 7, 40])
  func shareOfExport(round: Int64) {
    var (pace, clocks) = Self.busy(restFactor: 24)
    var worked: Int64 = 0
    while clocks.now < 60_000_000 {
      if pace.rest(at: clocks.times.now) == .zero {
        clocks.pass(round * 1_000, working: round * 1_000, others: round * 1_000)
        worked += round * 1_000
        pace.note(clocks.times)
      } else {
        clocks.pass(1_000, others: 1_000)
      }
    }
    #expect((59_000_000...61_000_000).contains(worked * 25))
  }

  @Test("Beside a busy program, a rest is 49 times as long as the work before it")
  func share() {
    var (pace, clocks) = Self.busy()
    #expect(pace.isBusy && pace.rest(at: clocks.times.now) == .zero)
    clocks.pass(1_000, working: 1_000, others: 1_000)
    pace.note(clocks.times)
    #expect(pace.rest(at: clocks.times.now) == .milliseconds(49))
    clocks.pass(40_000, others: 40_000)
    #expect(pace.rest(at: clocks.times.now) == .milliseconds(9))
    clocks.pass(9_000, others: 9_000)
    #expect(pace.rest(at: clocks.times.now) == .zero)
  }

  @Test("Work during a rest makes the rest longer")
  func interruption() {
    var (pace, clocks) = Self.busy()
    clocks.pass(1_000, working: 1_000, others: 1_000)
    pace.note(clocks.times)
    clocks.pass(10_000, working: 200, others: 10_000)
    pace.note(clocks.times)
    #expect(pace.rest(at: clocks.times.now) == .microseconds(39_000 + 49 * 200))
  }

  @Test("However much work there was, the next comes after a second")
  func longest() {
    var (pace, clocks) = Self.busy()
    clocks.pass(90_000, working: 90_000, others: 90_000)
    pace.note(clocks.times)
    #expect(pace.rest(at: clocks.times.now) == .seconds(1))
  }

  @Test("A rest is over when the program is not busy any more")
  func relief() {
    var (pace, clocks) = Self.busy()
    clocks.pass(4_000, working: 4_000, others: 4_000)
    pace.note(clocks.times)
    #expect(pace.rest(at: clocks.times.now) > .zero)
    clocks.pass(100_000, others: 10_000)
    pace.note(clocks.times)
    #expect(!pace.isBusy && pace.rest(at: clocks.times.now) == .zero)
  }
}
