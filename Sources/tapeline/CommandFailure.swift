/// The failure of a command: the message for people and the status for scripts.
struct CommandFailure: Error, Hashable, CustomStringConvertible {
  let status: ExitStatus
  /// The file, option or action that failed.
  let what: String
  let why: String
  /// The advice to the user.
  let remedy: String
  /// The user's choices, one line each, to be printed below the message.
  var choices: [String] = []

  /// `<what>: <why>; <what to do>`, the form of all our messages.
  var description: String {
    "\(what): \(why); \(remedy)"
  }
}
