internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineInspect
internal import TapelineLoop

/// `tapeline env`: the variables for a shell that should use a running recording.
struct EnvCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Print export lines that send a shell's HTTP traffic through a running recording.",
    usage: "tapeline env [<host:port>] [<options>]",
    discussion: """
      Prints the variables that tapeline run sets: the proxy, the authorities to trust if HTTPS is decrypted, and \
      TAPELINE_CONTROL. Without an argument, it uses the only recording that was started in this directory or that this shell's \
      variables name, and says on stderr which one that is.

      EXAMPLES
        eval "$(tapeline env)"
        eval "$(tapeline env 127.0.0.1:9000)"
        eval "$(tapeline env --name web)"
        eval "$(tapeline env --port-file port)"
        tapeline env --format fish | source
        docker run --network host --env-file <(tapeline env --format docker) IMAGE
      """)

  @Argument(help: ArgumentHelp("The address of the proxy. (default: see above, else 127.0.0.1:8888)", valueName: "host:port"))
  var endpoint: Endpoint?

  @Option(help: ArgumentHelp("The file that the recording's --port-file named.", valueName: "file"))
  var portFile: String?

  @Option(help: ArgumentHelp("The recording's --name, or its process id.", valueName: "name"))
  var name: String?

  @Option(
    name: .customLong("control"), help: ArgumentHelp("The recording's control socket.", valueName: "path"))
  var controlPath: String?

  @Option(
    help: ArgumentHelp("The recording's --auth, if it has one.", valueName: "user:password|@file"))
  var auth: String?

  @Option(
    help: ArgumentHelp(
      "How to write the variables: sh, fish, powershell, docker (an --env-file), compose (members of a service), json.",
      valueName: "format"))
  var format = EnvironmentFormat.sh

  @Flag(help: "Name SOCKS (socks5h://) in ALL_PROXY, for programs that speak no HTTP to proxies.")
  var socks = false

  @Flag(name: [.customShort("q"), .long], help: "Do not print which recording it is.")
  var silent = false

  func validate() throws {
    try CredentialPair.validate(auth, for: "--auth")
    if [endpoint != nil, portFile != nil, name != nil, controlPath != nil].count(where: \.self) > 1 {
      throw ValidationError("HOST:PORT, --port-file, --name and --control: each says where; give one")
    }
  }

  mutating func run() throws {
    let shell = CallingShell.current()
    let current = shell.environment
    let designation = controlPath.map { RunningRecording.Designation.socket($0) } ?? name.map { .name($0) }
    let proxy = try RunningProxy.find(endpoint: try target(), designation, from: shell)
    let credentials = try proxy.credentials(auth)
    try Reachability.check(proxy.endpoint.reachable)
    let trust = try proxy.status?.interception.map { interception throws(CommandFailure) in
      try TrustMaterial(in: interception.directory, interception: interception, environment: current)
    }
    let variables = CaptureEnvironment(
      endpoint: proxy.endpoint, credentials: credentials, controlPath: proxy.controlPath, trust: trust,
      nodeScript: try proxy.nodeScript(), usesSOCKS: socks, current: current)
    if !silent { Console.say("env: \(proxy.text)") }
    let needsHostNetwork = format.isForContainers && proxy.endpoint.reachable.address.isLoopback
    let files = trust.map { [$0.files.bundle] } ?? []
    if !silent, format == .docker { sayMounts(files, needsHostNetwork: needsHostNetwork) }
    let assignments = format.isForContainers ? variables.assignmentsForContainers : variables.assignments
    var output = StandardOutput()
    for line in format.lines(assignments, files: files, needsHostNetwork: needsHostNetwork) { try output.write(line: line) }
    try output.flush()
  }

  /// A value that a file of variables cannot say.
  private func sayMounts(_ files: [String], needsHostNetwork: Bool) {
    let options = (needsHostNetwork ? ["--network host"] : []) + files.map { "--volume \("\($0):\($0):ro".shellQuoted)" }
    if !options.isEmpty { Console.say("env: docker run also needs \(options.joined(separator: " "))") }
  }

  private func target() throws(CommandFailure) -> Endpoint? {
    if let portFile { return try PortFile.read(portFile) }
    return endpoint
  }
}
