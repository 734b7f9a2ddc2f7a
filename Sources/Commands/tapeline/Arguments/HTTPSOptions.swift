internal import ArgumentParser
internal import TapelineLive
internal import TapelineBase

/// How the proxy handles HTTPS.
struct HTTPSOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Decrypt HTTPS with certificates from our own authority, or tunnel and time it. (default: --intercept in run)")
  var intercept: Bool?

  @Option(
    name: .customLong("intercept-host"),
    help: ArgumentHelp("Decrypt only these hosts, as in *.example.com; repeatable.", valueName: "pattern"))
  var interceptHosts: [HostPattern] = []

  @Option(
    name: .customLong("passthrough-host"),
    help: ArgumentHelp("Tunnel these hosts unread; repeatable.", valueName: "pattern"))
  var passthroughHosts: [HostPattern] = []

  @Flag(help: "Always refuse clients that do not trust our authority, instead of tunnelling them after repeated refusals.")
  var strict = false

  @Option(
    name: .customLong("ca-dir"),
    help: ArgumentHelp("The authority's directory; created on first use. (default: $XDG_DATA_HOME/tapeline)", valueName: "dir"))
  var authorityDirectory: String?

  @Option(
    name: .customLong("upstream-ca"),
    help: ArgumentHelp("Trust servers by the certificates in this PEM file in addition to the system's.", valueName: "file"))
  var upstreamAuthority: String?

  @Flag(
    name: .customLong("insecure-upstream"),
    help: "Accept any certificate of a server; every affected entry says so.")
  var trustsAnyServer = false

  @Option(
    name: .customLong("client-cert"),
    help: ArgumentHelp(
      "Present this certificate (PEM) to these hosts if they ask; the key is in the same file, or after a comma; repeatable.",
      valueName: "host=pem[,key]"))
  var clientCertificates: [ClientCertificate] = []

  func validate() throws {
    if intercept == false, let option = optionThatIntercepts {
      throw ValidationError("\(option) and --no-intercept: they contradict each other; give one")
    }
    if trustsAnyServer, upstreamAuthority != nil {
      throw ValidationError("--insecure-upstream and --upstream-ca: they contradict each other; give one")
    }
  }

  var configuration: HTTPSConfiguration {
    var configuration = HTTPSConfiguration()
    configuration.interceptHosts = interceptHosts
    configuration.passthroughHosts = passthroughHosts
    configuration.failsOpen = !strict
    configuration.authorityDirectory = authorityDirectory
    configuration.upstreamAuthority = upstreamAuthority
    configuration.trustsAnyServer = trustsAnyServer
    configuration.clientCertificates = clientCertificates
    return configuration
  }

  /// If neither option says so, hosts to intercept turn interception on.
  func intercepts(byDefault: Bool) -> Bool {
    intercept ?? (byDefault || !interceptHosts.isEmpty)
  }

  /// For a command that does not intercept by default: refuses options that would then mean nothing.
  func validateInterceptionIsAsked() throws {
    guard !intercepts(byDefault: false), let option = optionThatIntercepts else { return }
    throw ValidationError("\(option): HTTPS is not decrypted; add --intercept")
  }

  /// An option that was given and means nothing without interception.
  private var optionThatIntercepts: String? {
    if !interceptHosts.isEmpty { return "--intercept-host" }
    if !passthroughHosts.isEmpty { return "--passthrough-host" }
    if !clientCertificates.isEmpty { return "--client-cert" }
    return strict ? "--strict" : nil
  }
}
