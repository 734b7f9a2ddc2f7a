internal import ArgumentParser
internal import TapelineInspect

/// `tapeline env`: the variables for a shell that shall use a running `record`.
struct EnvCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "env",
    abstract: "Print export lines that send a shell's HTTP traffic through a running tapeline record.",
    discussion: """
      EXAMPLES
        eval "$(tapeline env)"
        eval "$(tapeline env 127.0.0.1:9000)"
        eval "$(tapeline env --port-file port)"
      """)

  @Argument(help: ArgumentHelp("Where it listens. (default: 127.0.0.1:8888)", valueName: "host:port"))
  var endpoint: EndpointArgument?

  @Option(help: ArgumentHelp("The file that its --port-file named.", valueName: "file"))
  var portFile: String?

  func validate() throws {
    if endpoint != nil, portFile != nil {
      throw ValidationError("HOST:PORT and --port-file: both say where; give one")
    }
  }

  mutating func run() throws {
    let endpoint = try target().reachable
    try Reachability.check(endpoint)
    let variables = ProxyEnvironment(endpoint: endpoint, current: ProcessEnvironment.variables())
    var output = StandardOutput()
    for (name, value) in variables.assignments {
      try output.write(line: "export \(name)=\(value.shellQuoted)")
    }
    try output.flush()
  }

  private func target() throws(CommandFailure) -> EndpointArgument {
    if let portFile { return try PortFile.read(portFile) }
    return endpoint ?? RecordCommand.defaultListen
  }
}
