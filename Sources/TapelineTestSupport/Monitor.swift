internal import Glibc
internal import Synchronization
internal import TapelineSystem
internal import TapelineTime

/// A value behind a lock, and threads that wait, with a deadline, for it to change.
///
/// Safety: `@unchecked Sendable` because `value` is touched only between `pthread_mutex_lock` and `_unlock`; both C objects live
/// at fixed addresses from `init` to `deinit`.
@safe final class Monitor<Value>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let changed: UnsafeMutablePointer<pthread_cond_t>

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe changed = .allocate(capacity: 1)
    unsafe changed.initialize(to: pthread_cond_t())
    unsafe pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(changed, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  func read<Result>(_ body: (Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(value)
  }

  @discardableResult
  func change<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer {
      unsafe pthread_cond_broadcast(changed)
      unsafe pthread_mutex_unlock(mutex)
    }
    return body(&value)
  }

  /// The result of `then` once `condition` holds; `nil` when the deadline passed first.
  func wait<Result>(before deadline: Deadline, until condition: (Value) -> Bool, then: (Value) -> Result) -> Result? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    let nanoseconds = deadline.instant.nanoseconds
    var limit = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while !condition(value) {
      guard unsafe pthread_cond_timedwait(changed, mutex, &limit) != ETIMEDOUT else {
        return condition(value) ? then(value) : nil
      }
    }
    return then(value)
  }
}

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

/// The calling thread's name, as the kernel shows it.
package func currentThreadName() throws(TestSupportError) -> String {
  String(try readText("/proc/thread-self/comm").dropLast())
}
