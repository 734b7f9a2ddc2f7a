internal import Glibc

/// Signals: how this process handles them, and sending them.
package enum ProcessSignal {
  package static let hangUp: Int32 = SIGHUP
  package static let interrupt: Int32 = SIGINT
  package static let quit: Int32 = SIGQUIT
  package static let kill: Int32 = SIGKILL
  package static let user1: Int32 = SIGUSR1
  package static let brokenPipe: Int32 = SIGPIPE
  package static let terminate: Int32 = SIGTERM
  // Faults of a thread itself, which nothing may block: the kernel would end the process.
  static let illegalInstruction: Int32 = SIGILL
  static let trap: Int32 = SIGTRAP
  static let segmentationFault: Int32 = SIGSEGV
  static let busError: Int32 = SIGBUS
  static let arithmeticFault: Int32 = SIGFPE
  static let abort: Int32 = SIGABRT
  static let faults = [illegalInstruction, trap, segmentationFault, busError, arithmeticFault, abort]

  /// Sends a signal to a process, or to a group if the number is negative; does nothing if the process has ended.
  package static func send(_ signal: Int32, to process: Int32) {
    _ = Glibc.kill(process, signal)
  }

  /// Whether the program that started us ignored the signal, as `nohup` and a shell's `&` do: then we must keep ignoring it.
  package static func isIgnored(_ signal: Int32) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal, nil, &action) == 0 else { return false }
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == ignored
  }

  /// Makes the signal do nothing here, while a program that we start gets its default action: unlike an ignored signal, a handler
  /// is not inherited.
  package static func absorb(_ signal: Int32) {
    _ = Glibc.signal(signal, doNothing)
  }

  /// Makes a write to a connection that its peer has reset fail instead of ending the process. For the whole process, once, at
  /// start.
  package static func ignoreBrokenPipes() {
    let previous = Glibc.signal(SIGPIPE, SIG_IGN)
    precondition(unsafe unsafeBitCast(previous, to: Int.self) != unsafeBitCast(SIG_ERR, to: Int.self), "SIGPIPE can be ignored")
  }

  /// `SIG_IGN` is a macro for a pointer of this value.
  private static let ignored = 1
}

private func doNothing(_ signal: Int32) {}

/// A set of signals.
package struct SignalSet: Sendable {
  private(set) var mask = sigset_t()

  package init(_ signals: Int32...) {
    _ = unsafe sigemptyset(&mask)
    for signal in signals { _ = unsafe sigaddset(&mask, signal) }
  }

  private init(mask: sigset_t) {
    self.mask = mask
  }

  /// All but the faults of a thread itself.
  package static var all: SignalSet {
    var mask = sigset_t()
    _ = unsafe sigfillset(&mask)
    for fault in ProcessSignal.faults { _ = unsafe sigdelset(&mask, fault) }
    return SignalSet(mask: mask)
  }

  /// The signals that were sent to this process and are still blocked.
  package static var pending: SignalSet {
    var mask = sigset_t()
    _ = unsafe sigpending(&mask)
    return SignalSet(mask: mask)
  }

  package func contains(_ signal: Int32) -> Bool {
    var mask = mask
    return unsafe sigismember(&mask, signal) == 1
  }

  /// Blocks these signals on the calling thread; they stay pending.
  package func block() {
    var mask = mask
    let code = unsafe pthread_sigmask(SIG_BLOCK, &mask, nil)
    precondition(code == 0, "a thread can block signals")
  }

  /// Runs `body` while these signals are blocked on the calling thread. Threads and programs started in it inherit that.
  func blocked<Result>(while body: () -> Result) -> Result {
    var mask = mask
    var before = sigset_t()
    _ = unsafe pthread_sigmask(SIG_BLOCK, &mask, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return body()
  }
}
