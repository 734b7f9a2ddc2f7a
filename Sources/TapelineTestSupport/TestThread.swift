internal import Synchronization
internal import TapelineSystem

/// One thread of a scripted peer. Peers block in system calls, so they must not borrow the tests' own (cooperative) threads.
final class TestThread: Sendable {
  /// `nil` once joined.
  private let thread: Mutex<SystemThread?>

  init(_ body: @escaping @Sendable () -> Void) throws(TestSupportError) {
    do throws(SystemCallError) {
      thread = Mutex(try SystemThread(name: "test-peer", body))
    } catch {
      throw TestSupportError(error)
    }
  }

  deinit {
    thread.withLock { $0.take() }?.detach()
  }

  func join() {
    thread.withLock { $0.take()?.join() }
  }
}
