import Synchronization
import Testing

@testable import TapelineLoop

struct SystemThreadTests {
  @Test func runsItsBodyUnderItsName() throws {
    let name = Mutex("")
    let thread = try SystemThread(name: "fifteen-octets!") { name.withLock { $0 = currentThreadName() } }
    thread.join()
    #expect(name.withLock { $0 } == "fifteen-octets!")
  }

  @Test func aDetachedThreadEndsByItself() throws {
    let reply = Reply<Int>()
    let thread = try SystemThread(name: "detached") { reply.send(1) }
    thread.detach()
    #expect(reply.wait() == 1)
  }

  @Test func isJoinedOnce() async {
    await #expect(processExitsWith: .failure) {
      let thread = try SystemThread(name: "twice") {}
      thread.join()
      thread.join()
    }
  }
}
