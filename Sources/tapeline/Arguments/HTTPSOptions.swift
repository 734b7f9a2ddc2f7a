internal import ArgumentParser
internal import TapelineText

/// What happens to HTTPS.
struct HTTPSOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Decrypt HTTPS with certificates of our own authority, or tunnel and time it. (default: --intercept in run)")
  var intercept: Bool?

  @Option(
    name: .customLong("intercept-host"),
    help: ArgumentHelp("Decrypt only these, as in *.example.com; may repeat.", valueName: "pattern"))
  var interceptHosts: [HostPattern] = []

  @Option(
    name: .customLong("passthrough-host"),
    help: ArgumentHelp("Tunnel these all the same; may repeat.", valueName: "pattern"))
  var passthroughHosts: [HostPattern] = []

  @Flag(help: "Refuse clients that do not trust our authority every time, instead of tunnelling those that insist.")
  var strict = false

  @Option(
    name: .customLong("ca-dir"),
    help: ArgumentHelp("Where the authority lives; made at the first need. (default: $XDG_DATA_HOME/tapeline)", valueName: "dir"))
  var authorityDirectory: String?

  @Option(
    name: .customLong("upstream-ca"),
    help: ArgumentHelp("Trust servers by the certificates in this PEM file as well as by the system's.", valueName: "file"))
  var upstreamAuthority: String?

  @Flag(
    name: .customLong("insecure-upstream"),
    help: "Take any certificate of a server; every entry that it touched says so.")
  var trustsAnyServer = false

  func validate() throws {
    if intercept == false, let option = optionThatIntercepts {
      throw ValidationError("\(option) and --no-intercept: they contradict each other; give one")
    }
    if trustsAnyServer, upstreamAuthority != nil {
      throw ValidationError("--insecure-upstream and --upstream-ca: they contradict each other; give one")
    }
  }

  /// Hosts to be intercepted are reason enough to intercept.
  func intercepts(byDefault: Bool) -> Bool {
    intercept ?? (byDefault || !interceptHosts.isEmpty)
  }

  /// For a command that does not intercept by default: refuses options that would then mean nothing.
  func validateInterceptionIsAsked() throws {
    guard !intercepts(byDefault: false), let option = optionThatIntercepts else { return }
    throw ValidationError("\(option): no HTTPS is decrypted anyway; add --intercept")
  }

  /// One that was given and means nothing without interception.
  private var optionThatIntercepts: String? {
    if !interceptHosts.isEmpty { return "--intercept-host" }
    if !passthroughHosts.isEmpty { return "--passthrough-host" }
    return strict ? "--strict" : nil
  }
}
