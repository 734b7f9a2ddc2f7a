internal import ArgumentParser
internal import TapelineOffline
internal import TapelineLive
internal import TapelineInspect
internal import TapelineLoop
internal import TapelineProxy
internal import TapelineBase

/// Where the proxy listens, and how scripts and control commands find it.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Listen on this address, or at the path of a local socket for this user alone; repeatable. Port 0 takes a free one.",
      valueName: "host:port|unix:path"))
  var listen: [ListenArgument] = []

  @Option(
    help: ArgumentHelp(
      "Also listen for clients that know no proxy: their requests go to this origin, http[s]://host[:port]; repeatable. Without an address, it is a free port on 127.0.0.1.",
      valueName: "host:port=url"))
  var reverse: [ReverseArgument] = []

  @Option(
    help: ArgumentHelp(
      "The host that the origins of --reverse are told: rewrite, their own, or keep, the client's.", valueName: "keep|rewrite"))
  var reverseHost = ReverseOrigin.ToldHost.rewrite

  @Option(help: ArgumentHelp("Let --reverse answer to these names too, *.example.com; repeatable.", valueName: "pattern"))
  var reverseName: [HostPattern] = []

  @Flag(help: "Allow --listen on an address that other machines can reach.")
  var allowRemote = false

  @Option(help: ArgumentHelp("Write HOST:PORT to this file once listening, for scripts.", valueName: "file"))
  var portFile: String?

  @Option(
    help: ArgumentHelp(
      "The recording's name, for --name of the control commands. (default: its process id)", valueName: "name"))
  var name: String?

  private static let nameLimit = 64

  /// Those of --listen that are not local sockets.
  var addresses: [Endpoint] {
    listen.compactMap { if case .address(let endpoint) = $0 { endpoint } else { nil } }
  }

  /// Those that are.
  var paths: [String] {
    listen.compactMap { if case .path(let path) = $0 { path } else { nil } }
  }

  var reverseListeners: [ReverseListener] {
    reverse.map { argument in
      var origin = argument.origin
      origin.toldHost = reverseHost
      origin.names = reverseName
      return ReverseListener(address: argument.endpoint.address, origin: origin)
    }
  }

  func validate() throws {
    if let name { try validate(name: name) }
    let places =
      addresses.map { ("--listen", $0, "use this proxy and be recorded") }
      + reverse.map { ("--reverse", $0.endpoint, "reach the origin through it") }
    if !allowRemote, let (option, endpoint, harm) = places.first(where: { !$0.1.address.isLoopback }) {
      throw ValidationError("\(option) \(endpoint): other machines could \(harm); add --allow-remote to allow it")
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
