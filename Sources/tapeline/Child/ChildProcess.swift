internal import TapelineSystem

/// The command that `run` runs: it has our stdin, stdout, stderr, every other descriptor that we were given, our terminal and
/// our process group.
///
/// Bound to the main thread, which alone waits for it: so no signal ever goes to another process that has got the same id.
final class ChildProcess {
  private let child: ChildIdentifier
  /// Set once the process has been waited for.
  private var end: ProcessEnd?

  /// Starts `command`, looked up in `PATH` as a shell does.
  init(command: [String], environment: [[UInt8]]) throws(CommandFailure) {
    do throws(SystemCallError) {
      child = try ProgramStart(command, environment: environment).start()
    } catch {
      let isMissing = error.code == ErrorCode.notFound
      throw CommandFailure(
        status: isMissing ? .commandNotFound : .cannotExecute, what: "cannot run \(command[0])", why: error.text,
        remedy: isMissing ? "check its name and PATH" : "check that it is an executable file")
    }
  }

  var identifier: Int32 { child.id }

  /// Passes a signal on, unless the process has ended.
  func send(_ signal: Int32) {
    guard end == nil else { return }
    ProcessSignal.send(signal, to: identifier)
  }

  /// Waits for the end of the process without collecting it. For a thread that has nothing else to do.
  var waitForEnd: @Sendable () -> Void {
    let child = child
    return { child.waitForEnd() }
  }

  /// Collects the process, waiting for its end if need be, and returns the status to exit with.
  func collect() -> Int32 {
    let end = end ?? child.collect()
    self.end = end
    return end.shellStatus
  }
}
