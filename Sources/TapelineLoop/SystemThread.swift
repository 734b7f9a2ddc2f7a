internal import CTapeline
internal import Glibc
internal import Synchronization

/// Owns one running thread of the system, from start to join or detachment.
final class SystemThread: Sendable {
  private let handle: pthread_t
  private let isSettled = Atomic<Bool>(false)

  /// Runs `body` on a new thread, whose name (at most 15 bytes) debuggers and `top` show.
  init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemCallError) {
    var handle = pthread_t()
    // The one retain; `runThread` releases it. When there is no thread, we do.
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let code = unsafe pthread_create(&handle, nil, runThread, start.toOpaque())
    guard code == 0 else {
      unsafe start.release()
      throw SystemCallError(code: code, call: .pthread)
    }
    self.handle = handle
  }

  deinit {
    assert(isSettled.load(ordering: .relaxed), "a thread was dropped without being joined or detached")
  }

  /// Waits until the thread's body has returned. Instead of `detach()`, once.
  func join() {
    settle()
    let code = pthread_join(handle, nil)
    precondition(code == 0, "a thread could not be joined: it waits for itself")
  }

  /// Lets the thread end by itself, or with the process. Instead of `join()`, once.
  func detach() {
    settle()
    let code = pthread_detach(handle)
    precondition(code == 0, "a thread could not be detached")
  }

  private func settle() {
    precondition(!isSettled.exchange(true, ordering: .relaxed), "a thread was joined or detached twice")
  }
}

private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else {
    preconditionFailure("a thread started without its body")
  }
  let start = unsafe Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
  blockBrokenPipeSignal()
  unsafe tapeline_name_thread(start.name)
  start.body()
  return nil
}

/// A write to a peer that has left raises SIGPIPE in the thread that writes, and its default action ends the process. In a program that
/// has this library inside, what the process does with signals is not ours to decide; what our threads do is. Blocked, the write fails.
private func blockBrokenPipeSignal() {
  var signals = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGPIPE)
  let code = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  precondition(code == 0, "a thread could not block SIGPIPE")
}
