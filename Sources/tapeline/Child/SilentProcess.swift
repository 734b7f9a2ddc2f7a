internal import TapelineSystem

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
