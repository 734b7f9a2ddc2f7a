import Glibc
import Synchronization
import Testing

@testable import TapelineLoop

struct SystemThreadTests {
  @Test func runsItsBodyUnderItsName() throws {
    let name = Mutex("")
    let thread = try SystemThread(name: "fifteen-bytes!") { name.withLock { $0 = currentThreadName() } }
    thread.join()
    #expect(name.withLock { $0 } == "fifteen-bytes!")
  }

  @Test func aDetachedThreadEndsByItself() throws {
    let reply = Reply<Int>()
    let thread = try SystemThread(name: "detached") { reply.send(1) }
    thread.detach()
    #expect(reply.wait() == 1)
  }

  @Test func aPeerThatHasLeftFailsTheWriteAndNotTheProcess() async {
    await #expect(processExitsWith: .success) {
      _ = signal(SIGPIPE, SIG_DFL)
      var ends: [Int32] = [0, 0]
      _ = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
      close(ends[1])
      let writer = ends[0]
      let reply = Reply<Int32>()
      let thread = try SystemThread(name: "writer") {
        var byte: UInt8 = 0
        let result = unsafe write(writer, &byte, 1)
        reply.send(result < 0 ? errno : 0)
      }
      thread.join()
      precondition(reply.wait() == EPIPE)
    }
  }

  @Test func isJoinedOnce() async {
    await #expect(processExitsWith: .failure) {
      let thread = try SystemThread(name: "twice") {}
      thread.join()
      thread.join()
    }
  }
}
