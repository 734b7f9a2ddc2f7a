/// The program's exit statuses other than 0, after `sysexits.h`; scripts depend on them.
enum ExitStatus: Int32, Sendable {
  /// The check that the command makes did not hold.
  case conditionFailed = 1
  case usage = 64
  /// The input file is not what it should be.
  case badInput = 65
  /// Cannot listen, or nothing can be reached.
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
