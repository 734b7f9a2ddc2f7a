package import TapelineOffline
internal import TapelineInspect
internal import TapelineLoop
package import TapelineSystem

/// The command that `run` runs: it has our stdin, stdout, stderr, every other descriptor that we were given, our terminal and
/// our process group.
///
/// Bound to the main thread, which alone waits for it: so no signal ever goes to another process that has got the same id.
package final class ChildProcess {
  private let child: ChildIdentifier
  /// Set once the process has been waited for.
  private var end: ProcessEnd?

  /// Takes over a process that this one has started.
  init(_ child: ChildIdentifier) {
    self.child = child
  }

  /// Starts `command`, looked up in `PATH` as a shell does.
  package static func start(_ command: [String], environment: [[UInt8]]) throws(CommandFailure) -> ChildIdentifier {
    do throws(SystemCallError) {
      return try ProgramStart(command, environment: environment).start()
    } catch {
      throw failure(to: command, error)
    }
  }

  /// Does the same, and watches the command's calls of connect(2) if the kernel permits it (`ProgramStart.startWatched`).
  ///
  /// Only a privileged program may watch others and leave them their privileges. A privileged user has nothing to lose.
  ///
  /// - Parameter renouncing: whether setuid programs that the command starts may lose theirs.
  package static func startWatched(
    _ command: [String], environment: [[UInt8]], renouncing: Bool
  ) throws(CommandFailure) -> ProgramStart.Watched {
    do throws(SystemCallError) {
      return try ProgramStart(command, environment: environment)
        .startWatched(renouncing: renouncing || CurrentUser.effectiveID == 0)
    } catch {
      throw failure(to: command, error)
    }
  }

  /// `command` was not executed.
  static func failure(to command: [String], _ error: SystemCallError) -> CommandFailure {
    let isMissing = error.code == ErrorCode.notFound
    return CommandFailure(
      status: isMissing ? .commandNotFound : .cannotExecute, what: "cannot run \(command[0])", why: error.text,
      remedy: isMissing ? "check its name and PATH" : "check that it is an executable file")
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

  // MARK: Serving a command

  /// Runs a command to its end and returns the status to exit with.
  ///
  /// The terminal sends SIGINT and SIGQUIT to us and the child alike, and the child decides what they mean. SIGTERM and SIGHUP
  /// come to us alone, and we pass them on. A signal that we were started to ignore stays ignored, by the child as well.
  ///
  /// - Parameter start: starts the command, or takes over the one that was started before a crash.
  package static func serve(
    _ start: () throws(CommandFailure) -> ChildIdentifier
  ) throws(CommandFailure) -> Int32 {
    let main = try MainLoop()
    if !ProcessSignal.isIgnored(ProcessSignal.quit) { ProcessSignal.absorb(ProcessSignal.quit) }
    if !ProcessSignal.isIgnored(ProcessSignal.interrupt) { main.on(.interrupt) { _ in } }
    // Watch signals before the child exists, so that no child is ever left alone. Earlier signals are served after its start.
    var started: ChildProcess?
    main.on(.terminate) { started?.send($0.rawValue) }
    if !ProcessSignal.isIgnored(ProcessSignal.hangUp) { main.on(.hangUp) { started?.send($0.rawValue) } }
    let identifier = try start()
    ProcessRestart.keep(Int64(identifier.id), as: .child)
    let child = ChildProcess(identifier)
    OpenFileLimit.raise()
    started = child
    let waiter = try stop(main, atTheEndOf: child)
    main.serve()
    waiter.join()
    // From here on it may be another process's number.
    ProcessRestart.keep(Int64(0), as: .child)
    return child.collect()
  }

  private static func stop(_ main: MainLoop, atTheEndOf child: ChildProcess) throws(CommandFailure) -> SystemThread {
    let (waitForEnd, stop) = (child.waitForEnd, main.stopper)
    do throws(SystemCallError) {
      return try SystemThread(name: "tapeline-child", takesSignals: false) {
        waitForEnd()
        stop()
      }
    } catch {
      child.send(ProcessSignal.terminate)
      throw CommandFailure(
        status: .unavailable, what: "cannot wait for the command", why: error.text, remedy: "raise the limit of threads")
    }
  }
}

/// Runs a tool that we need ourselves, without input; its output is discarded.
enum SilentProcess {
  /// Runs `command` to its end and returns its status, or 128 and the signal that killed it.
  static func run(_ command: [String]) throws(CommandFailure) -> Int32 {
    var program = ProgramStart(command, environment: ProcessEnvironment.entries())
    program.isLookedUp = false
    program.streams = [.nothing, .nothing, .nothing]
    do throws(SystemCallError) {
      return try program.start().collect().shellStatus
    } catch {
      throw CommandFailure(
        status: .cannotExecute, what: "cannot run \(command[0])", why: error.text, remedy: "check that it is a program")
    }
  }
}

/// A command in one line, as a shell would take it: the title of the page that it is recorded on.
package enum CommandTitle {
  /// Long enough to tell commands apart, short enough for a list of pages. In characters, quotes not included.
  static let limit = 200

  /// Cuts between words only: nobody could recognise half a secret as a secret.
  package static func text(of command: [String]) -> String {
    var arguments: [String] = []
    var room = limit
    for argument in command {
      guard argument.count <= room else {
        let start = words(argument, upTo: room)
        return (arguments + (start.isEmpty ? [] : [start.shellQuoted]) + ["…"]).joined(separator: " ")
      }
      arguments.append(argument.shellQuoted)
      room -= argument.count + 1
    }
    return arguments.joined(separator: " ")
  }

  /// As many whole words from the start of `text` as fit.
  private static func words(_ text: String, upTo room: Int) -> String {
    let end = text.prefix(max(0, room)).lastIndex(where: \.isWhitespace)
    return end.map { String(text[..<$0]) } ?? ""
  }
}
