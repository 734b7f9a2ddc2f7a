internal import ArgumentParser
internal import TapelineConsole
internal import TapelineControl
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineProxy

/// Where the proxy listens, and how scripts and control commands find it.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Listen on this address; repeatable. Port 0 takes a free one.", valueName: "host:port"))
  var listen: [Endpoint] = []

  @Flag(help: "Allow --listen on an address that other machines can reach.")
  var allowRemote = false

  @Option(help: ArgumentHelp("Write HOST:PORT to this file once listening, for scripts.", valueName: "file"))
  var portFile: String?

  @Option(
    help: ArgumentHelp(
      "The recording's name, for --name of the control commands. (default: its process id)", valueName: "name"))
  var name: String?

  private static let nameLimit = 64

  func validate() throws {
    if let name { try validate(name: name) }
    if !allowRemote, let remote = listen.first(where: { !$0.address.isLoopback }) {
      throw ValidationError(
        "--listen \(remote): other machines could use this proxy and be recorded; add --allow-remote to allow it")
    }
  }

  private func validate(name: String) throws {
    guard !name.isEmpty, name.utf8.count <= Self.nameLimit, name.printable == name else {
      throw ValidationError("--name: a name is one line of at most \(Self.nameLimit) bytes; give such a name")
    }
    guard !name.allSatisfy(\.isNumber) else {
      throw ValidationError("--name \(name): a number means a process id; give a name with a letter in it")
    }
  }
}

extension CredentialPair {
  /// Refuses what can be refused without reading a file. The error never quotes the argument.
  static func validate(_ argument: String?, for option: String) throws {
    guard let argument, !argument.hasPrefix("@"), CredentialPair(argument) == nil else { return }
    throw ValidationError("\(option): no USER:PASSWORD and no @FILE; give both, with a colon between them")
  }
}

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
