import Synchronization
import Testing

@testable import TapelineLoop

struct LoopBoundTests {
  /// Not Sendable, and remembers on which loop it ended.
  private final class Resident {
    let loop: EventLoop
    let endedAtHome: Reply<Bool>

    init(loop: EventLoop, endedAtHome: Reply<Bool>) {
      self.loop = loop
      self.endedAtHome = endedAtHome
    }

    deinit { endedAtHome.send(loop.isCurrent) }
  }

  @Test func endsOnItsLoopWhoeverLetsGo() throws {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let endedAtHome = Reply<Bool>()
    do {
      let bound = loop.executeAndWait { LoopBound(Resident(loop: loop, endedAtHome: endedAtHome), on: loop) }
      #expect(loop.executeAndWait { bound.value.loop === loop })
    }
    #expect(endedAtHome.wait())
    group.shutdown()
  }

  @Test func endsAnywhereOnceTheLoopHasStopped() throws {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let bound = loop.executeAndWait { LoopBound(Timer(loop: loop) {}, on: loop) }
    loop.executeAndWait { bound.value.start(after: .seconds(1)) }
    group.shutdown()
    withExtendedLifetime(bound) {}
  }

  @Test func opensOnItsLoopOnly() async {
    await #expect(processExitsWith: .failure) {
      let group = try EventLoopGroup(threads: 1)
      let loop = group.loops[0]
      let bound = loop.executeAndWait { LoopBound(1, on: loop) }
      _ = bound.value
    }
  }
}
