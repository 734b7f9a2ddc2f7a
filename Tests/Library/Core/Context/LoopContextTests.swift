import Dispatch
import TapelineLoop
import TapelineTime
import Testing

@testable import TapelineCore

@Suite struct LoopContextTests {
  @Test("On the loop, async appends to a queue that is drained later; it never runs inline")
  func asyncMeansLater() throws {
    let group = try EventLoopGroup(threads: 1)
    defer { group.shutdown() }
    let context = LoopContext(group.loops[0])
    let log = EventLog()
    #expect(!context.isCurrent)
    group.loops[0].executeAndWait {
      #expect(context.isCurrent)
      context.async { log.add("first") }
      context.async { log.add("second") }
      context.run { log.add("inline") }
      log.add("end of turn")
    }
    group.loops[0].executeAndWait {}
    #expect(log.all == ["inline", "end of turn", "first", "second"])
  }

  @Test("A delay uses a timer of the loop")
  func delays() throws {
    let group = try EventLoopGroup(threads: 1)
    defer { group.shutdown() }
    let context = LoopContext(group.loops[0])
    let done = DispatchSemaphore(value: 0)
    let began = MonotonicInstant.now
    context.async(after: .milliseconds(20)) {
      #expect(context.isCurrent)
      done.signal()
    }
    done.wait()
    #expect(MonotonicInstant.now.nanoseconds(since: began) >= 20_000_000)
  }
}
