internal import Glibc
internal import Synchronization

/// One thread of a scripted peer. Peers block in system calls, so they must not borrow the tests' own (cooperative) threads.
final class TestThread: Sendable {
  private let thread: pthread_t
  private let isJoined = Mutex(false)

  init(_ body: @escaping @Sendable () -> Void) throws(TestSupportError) {
    var thread = pthread_t()
    let start = unsafe Unmanaged.passRetained(ThreadStart(body))
    let status = unsafe pthread_create(&thread, nil, runThread, start.toOpaque())
    guard status == 0 else {
      unsafe start.release()
      throw .system(call: "pthread_create", code: status)
    }
    self.thread = thread
  }

  deinit {
    if !isJoined.withLock({ $0 }) {
      pthread_detach(thread)
    }
  }

  func join() {
    isJoined.withLock { joined in
      guard !joined else { return }
      pthread_join(thread, nil)
      joined = true
    }
  }
}

private final class ThreadStart: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) {
    self.body = body
  }
}

/// Takes over the reference that `TestThread.init` retained.
private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().body()
  return nil
}
