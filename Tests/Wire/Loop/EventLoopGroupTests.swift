import Synchronization
import TapelineTestSupport
import Testing

@testable import TapelineLoop

struct EventLoopGroupTests {
  @Test func runsEachLoopOnItsOwnThread() throws {
    let group = try EventLoopGroup(threads: 3)
    #expect(group.loops.count == 3)
    for loop in group.loops {
      #expect(loop.executeAndWait { group.loops.map(\.isCurrent).filter { $0 }.count } == 1)
      #expect(loop.executeAndWait { loop.isCurrent })
    }
    group.shutdown()
    group.shutdown()
  }

  @Test func namesItsThreads() throws {
    let group = try EventLoopGroup(threads: 1)
    #expect(group.loops[0].executeAndWait { try? currentThreadName() } == "tapeline-loop-0")
    group.shutdown()
  }

  @Test func givesLoopsInTurn() throws {
    let group = try EventLoopGroup(threads: 2)
    let first = group.next()
    let second = group.next()
    #expect(first !== second)
    #expect(group.next() === first)
    group.shutdown()
  }
}
