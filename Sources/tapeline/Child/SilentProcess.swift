internal import Glibc

/// Runs a tool that we need ourselves: without input, and with its output thrown away.
enum SilentProcess {
  /// Runs `command` to its end and returns its status, or 128 and the signal that killed it.
  static func run(_ command: [String]) throws(CommandFailure) -> Int32 {
    var streams = unsafe posix_spawn_file_actions_t()
    _ = unsafe posix_spawn_file_actions_init(&streams)
    defer { _ = unsafe posix_spawn_file_actions_destroy(&streams) }
    for (descriptor, flags) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
      _ = unsafe posix_spawn_file_actions_addopen(&streams, descriptor, "/dev/null", flags, 0)
    }
    let arguments = CStringArray(command.map { Array($0.utf8) })
    let variables = CStringArray(ProcessEnvironment.entries())
    var identifier: pid_t = 0
    let cause = unsafe posix_spawn(&identifier, command[0], &streams, nil, arguments.start, variables.start)
    guard cause == 0 else {
      throw CommandFailure(
        status: .cannotExecute, what: "cannot run \(command[0])", why: systemErrorText(cause),
        remedy: "check that it is a program")
    }
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return ChildProcess.exitStatus(ofWaitStatus: status)
  }
}
