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
    timer.start(after: .milliseconds(20))
    #expect(timer.isRunning)
    let end = Timer(loop: loop) { loop.stop() }
    end.start(after: .milliseconds(60))
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
    moved.start(after: .milliseconds(10))
    fixed.start(after: .milliseconds(20))
    moved.start(after: .milliseconds(60))
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
    moved.start(after: .seconds(10))
    fixed.start(after: .milliseconds(40))
    moved.start(after: .milliseconds(1))
    loop.serve()
    #expect(order == ["moved", "fixed"])
  }

  @Test func aCancelledTimerIsSilentAndMayStartAgain() throws {
    var count = 0
    let timer = Timer(loop: loop) {
      count += 1
      loop.stop()
    }
    timer.start(after: .milliseconds(1))
    timer.cancel()
    timer.cancel()
    #expect(!timer.isRunning)
    loop.settle(turns: 10)
    #expect(count == 0)
    timer.start(after: .milliseconds(1))
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
      if turns == 3 { loop.stop() } else { restarted?.start(after: .milliseconds(1)) }
    }
    dropped?.start(after: .zero)
    restarted?.start(after: .zero)
    loop.serve()
    #expect(dropped == nil)
    #expect(turns == 3)
    restarted = nil
  }

  @Test func droppingCancels() throws {
    do {
      let timer = Timer(loop: loop) { Issue.record("a dropped timer elapsed") }
      timer.start(after: .zero)
    }
    loop.settle()
  }
}
