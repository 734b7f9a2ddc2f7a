import TapelineTime
import Testing

@testable import TapelineLoop

struct TimerTests {
  let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test func elapsesOnceAndNeverEarly() throws {
    var elapsed: [MonotonicInstant] = []
    let start = MonotonicInstant.now
    let timer = Timer(loop: loop) { elapsed.append(.now) }
    timer.start(afterNanoseconds: 20_000_000)
    #expect(timer.isRunning)
    let end = Timer(loop: loop) { loop.stop() }
    end.start(afterNanoseconds: 60_000_000)
    loop.serve()
    #expect(elapsed.count == 1)
    #expect(!timer.isRunning)
    let waited = try #require(elapsed.first).nanoseconds(since: start)
    #expect(waited >= 20_000_000)
  }

  @Test func aLaterStartMovesTheDeadlineBack() throws {
    var order: [String] = []
    let moved = Timer(loop: loop) {
      order.append("moved")
      loop.stop()
    }
    let fixed = Timer(loop: loop) { order.append("fixed") }
    moved.start(afterNanoseconds: 10_000_000)
    fixed.start(afterNanoseconds: 20_000_000)
    moved.start(afterNanoseconds: 60_000_000)
    loop.serve()
    #expect(order == ["fixed", "moved"])
  }

  @Test func anEarlierStartMovesItForward() throws {
    var order: [String] = []
    let moved = Timer(loop: loop) { order.append("moved") }
    let fixed = Timer(loop: loop) {
      order.append("fixed")
      loop.stop()
    }
    moved.start(afterNanoseconds: 10_000_000_000)
    fixed.start(afterNanoseconds: 40_000_000)
    moved.start(afterNanoseconds: 1_000_000)
    loop.serve()
    #expect(order == ["moved", "fixed"])
  }

  @Test func aCancelledTimerIsSilentAndMayStartAgain() throws {
    var count = 0
    let timer = Timer(loop: loop) {
      count += 1
      loop.stop()
    }
    timer.start(afterNanoseconds: 1_000_000)
    timer.cancel()
    timer.cancel()
    #expect(!timer.isRunning)
    loop.settle(turns: 10)
    #expect(count == 0)
    timer.start(afterNanoseconds: 1_000_000)
    loop.serve()
    #expect(count == 1)
  }

  @Test func mayBeDroppedOrRestartedInItsHandler() throws {
    var dropped: Timer?
    var turns = 0
    var restarted: Timer?
    dropped = Timer(loop: loop) { dropped = nil }
    restarted = Timer(loop: loop) {
      turns += 1
      if turns == 3 { loop.stop() } else { restarted?.start(afterNanoseconds: 1_000_000) }
    }
    dropped?.start(afterNanoseconds: 0)
    restarted?.start(afterNanoseconds: 0)
    loop.serve()
    #expect(dropped == nil)
    #expect(turns == 3)
    restarted = nil
  }

  @Test func droppingCancels() throws {
    do {
      let timer = Timer(loop: loop) { Issue.record("a dropped timer elapsed") }
      timer.start(afterNanoseconds: 0)
    }
    loop.settle()
  }
}
