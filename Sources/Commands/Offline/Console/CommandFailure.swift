/// The failure of a command: the message for people and the status for scripts.
package struct CommandFailure: Error, Hashable, CustomStringConvertible {
  package let status: ExitStatus
  /// The file, option or action that failed.
  package let what: String
  package let why: String
  /// The advice to the user.
  package let remedy: String
  /// The user's choices, one line each, to be printed below the message.
  package let choices: [String]

  package init(status: ExitStatus, what: String, why: String, remedy: String, choices: [String] = []) {
    self.status = status
    self.what = what
    self.why = why
    self.remedy = remedy
    self.choices = choices
  }

  /// `<what>: <why>; <what to do>`, the form of all our messages.
  package var description: String {
    "\(what): \(why); \(remedy)"
  }
}

/// The program's exit statuses other than 0, after `sysexits.h`; scripts depend on them.
package enum ExitStatus: Int32, Sendable {
  /// The check that the command makes did not hold.
  case conditionFailed = 1
  case usage = 64
  /// The input file is not what it should be.
  case badInput = 65
  /// Cannot listen, or nothing can be reached. 70 is what `CurrentProcess.exit` makes of any status after a crash of ours.
  case unavailable = 69
  /// The output cannot be created.
  case cannotCreate = 73
  /// The output could not be written to its end.
  case writeFailed = 74
  /// The command to run was found and cannot be executed, as in shells.
  case cannotExecute = 126
  /// The command to run was not found, as in shells.
  case commandNotFound = 127
}
