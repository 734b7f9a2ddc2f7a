package import TapelineOffline

extension RunningProxy {
  /// The script for Node.js, beside the other trust files, else beside the control socket: both directories are the user's own. A
  /// proxy with neither is not known to be ours.
  package func nodeScript() throws(CommandFailure) -> NodeScript? {
    let socketDirectory = controlPath.flatMap { path in path.lastIndex(of: "/").map { String(path[..<$0]) } }
    guard let directory = status?.interception?.directory ?? socketDirectory else { return nil }
    return try NodeScript(in: directory)
  }

  /// The credentials of its clients.
  ///
  /// - Parameter auth: the value of `--auth`.
  package func credentials(_ auth: String?) throws(CommandFailure) -> CredentialPair? {
    if let auth { return try CredentialPair.read(auth, for: "--auth") }
    guard status?.asksForCredentials != true else {
      throw CommandFailure(
        status: .usage, what: "\(endpoint)", why: "it asks clients for a name and a password",
        remedy: "give them as it has got them: tapeline env --auth @FILE")
    }
    return nil
  }
}
