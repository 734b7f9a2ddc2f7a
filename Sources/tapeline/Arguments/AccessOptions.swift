internal import ArgumentParser
internal import TapelineProxy

/// The clients that may use the proxy, and the hosts that they may reach.
struct AccessOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask clients for this name and password; @FILE reads them from a file, so that they are not in the process list.",
      valueName: "user:password|@file"))
  var auth: String?

  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp(
      "Allow only these hosts: *.example.com, localhost:3000, 10.0.0.0/8; repeatable.", valueName: "pattern"))
  var allowedHosts: [DestinationPattern] = []

  @Option(
    name: .customLong("deny-host"),
    help: ArgumentHelp("Deny these hosts, whatever is allowed; repeatable.", valueName: "pattern"))
  var deniedHosts: [DestinationPattern] = []

  func validate() throws {
    try CredentialPair.validate(auth, for: "--auth")
  }

  /// - Parameter credentials: the credentials of `auth`, already read.
  func policy(credentials: CredentialPair?) -> AccessPolicy {
    var policy = AccessPolicy()
    policy.allowedHosts = allowedHosts
    policy.deniedHosts = deniedHosts
    policy.credentials = credentials.map { ProxyCredentials(pair: $0.text) }
    return policy
  }
}
