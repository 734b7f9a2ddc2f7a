internal import Glibc
internal import Synchronization

/// Held while a program is started, and while descriptors are made that Swift cannot make close-on-exec at once (`accept4` and
/// `pipe2` do not import): a program that inherits a test's socket or pipe would keep it open beyond its `close`.
private let spawning = Mutex(())

func withoutSpawning<Result>(_ body: () throws(TestSupportError) -> Result) throws(TestSupportError) -> Result {
  try spawning.withLock { _ throws(TestSupportError) in try body() }
}

func setCloseOnExec(_ descriptor: Int32) {
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}
