/// Why a command ends without having done its work: what a person reads and the status a script sees.
struct CommandFailure: Error, Hashable, CustomStringConvertible {
  let status: ExitStatus
  /// What was being done.
  let what: String
  let why: String
  /// What to do about it.
  let remedy: String
  /// What there is to choose from, a line each, to be said below.
  var choices: [String] = []

  /// `<what>: <why>; <what to do>`, the form of all our messages.
  var description: String {
    "\(what): \(why); \(remedy)"
  }
}
