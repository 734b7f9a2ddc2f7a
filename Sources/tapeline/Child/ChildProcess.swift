internal import Glibc

/// The command that `run` runs: it has our stdin, stdout, stderr, every other descriptor that we were given, our terminal and
/// our process group.
///
/// Bound to the main thread, which alone waits for it: so no signal is ever sent to a number that has passed to someone else.
final class ChildProcess {
  let identifier: pid_t
  /// Set once the process has been waited for.
  private var exitStatus: Int32?

  /// Starts `command`, looked up in `PATH` as a shell does.
  init(command: [String], environment: [[UInt8]]) throws(CommandFailure) {
    precondition(!command.isEmpty, "the command line refuses an empty command")
    let arguments = CStringArray(command.map { Array($0.utf8) })
    let variables = CStringArray(environment)
    var attributes = posix_spawnattr_t()
    setSignals(in: &attributes)
    defer { _ = unsafe posix_spawnattr_destroy(&attributes) }
    var started: pid_t = 0
    let cause = unsafe posix_spawnp(&started, command[0], nil, &attributes, arguments.start, variables.start)
    guard cause == 0 else { throw Self.failure(command: command[0], cause: cause) }
    identifier = started
  }

  /// Passes a signal on; a process that has ended has no use for it.
  func send(_ signal: Int32) {
    guard exitStatus == nil else { return }
    _ = kill(identifier, signal)
  }

  /// For a thread that has nothing else to do.
  var ending: Ending { Ending(identifier: identifier) }

  /// The end of a process, to be waited for without collecting it.
  struct Ending: Sendable {
    fileprivate let identifier: pid_t

    func wait() {
      var information = unsafe siginfo_t()
      while unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
  }

  /// Collects the process, waiting for its end if need be, and returns the status to exit with.
  func collect() -> Int32 {
    if let exitStatus { return exitStatus }
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let collected = Self.exitStatus(ofWaitStatus: status)
    exitStatus = collected
    return collected
  }

  /// What a shell would say of a process that ended so: its status, or 128 and the signal that killed it.
  ///
  /// The layout of the word is Linux's; the macros that read it do not import.
  static func exitStatus(ofWaitStatus status: Int32) -> Int32 {
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func failure(command: String, cause: Int32) -> CommandFailure {
    let isMissing = cause == ENOENT
    return CommandFailure(
      status: isMissing ? .commandNotFound : .cannotExecute, what: "cannot run \(command)", why: systemErrorText(cause),
      remedy: isMissing ? "check its name and PATH" : "check that it is an executable file")
  }
}

/// A child starts with SIGPIPE's default action, since we ignore it and an ignored signal is inherited, and with no signal
/// blocked, whatever thread starts it.
private func setSignals(in attributes: inout posix_spawnattr_t) {
  var restored = sigset_t()
  _ = unsafe sigemptyset(&restored)
  _ = unsafe sigaddset(&restored, SIGPIPE)
  var blocked = sigset_t()
  _ = unsafe sigemptyset(&blocked)
  _ = unsafe posix_spawnattr_init(&attributes)
  _ = unsafe posix_spawnattr_setsigdefault(&attributes, &restored)
  _ = unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
  _ = unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
}
