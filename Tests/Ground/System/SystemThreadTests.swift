import Glibc
import Synchronization
import TapelineSystem
import TapelineTestSupport
import Testing

struct SystemThreadTests {
  @Test func runsItsBodyUnderItsName() throws {
    let name = Mutex("")
    let thread = try SystemThread(name: "fifteen-bytes!") {
      name.withLock { $0 = (try? currentThreadName()) ?? "" }
    }
    thread.join()
    #expect(name.withLock { $0 } == "fifteen-bytes!")
  }

  @Test func aDetachedThreadEndsByItself() throws {
    let bell = try SystemCalls.makeBell()
    let thread = try SystemThread(name: "detached") { try? SystemCalls.ring(bell) }
    thread.detach()
    #expect(try SystemCalls.wait(for: .readable, on: bell, milliseconds: 10_000))
    SystemCalls.discard(bell)
  }

  @Test(arguments: [true, false])
  func takesSignalsOnlyWhereItMay(takesSignals: Bool) throws {
    let isBlockedHere = blocksTermination()
    let isBlocked = Mutex<Bool?>(nil)
    let thread = try SystemThread(name: "signals", takesSignals: takesSignals) {
      let found = blocksTermination()
      isBlocked.withLock { $0 = found }
    }
    thread.join()
    #expect(isBlocked.withLock { $0 } == (takesSignals ? isBlockedHere : true))
    #expect(blocksTermination() == isBlockedHere)
  }

  @Test func aPeerThatHasLeftFailsTheWriteAndNotTheProcess() async {
    await #expect(processExitsWith: .success) {
      _ = signal(SIGPIPE, SIG_DFL)
      let pipe = try SystemCalls.makePipe(isNonBlocking: false)
      SystemCalls.discard(pipe.read)
      let code = Mutex<Int32>(0)
      let thread = try SystemThread(name: "writer") {
        do throws(SystemCallError) {
          try SystemCalls.writeAll(([1] as [UInt8]).span, to: pipe.write)
        } catch {
          code.withLock { $0 = error.code }
        }
      }
      thread.join()
      precondition(code.withLock { $0 } == EPIPE)
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

/// Whether SIGTERM is blocked on the calling thread.
private func blocksTermination() -> Bool {
  var mask = sigset_t()
  _ = unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
  return unsafe sigismember(&mask, SIGTERM) == 1
}
