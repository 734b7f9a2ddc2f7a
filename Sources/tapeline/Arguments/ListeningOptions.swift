internal import ArgumentParser
internal import TapelineInspect
internal import TapelineLoop

/// Where the proxy listens, and how scripts and control commands find it.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Listen on this address; repeatable. Port 0 takes a free one.", valueName: "host:port"))
  var listen: [EndpointArgument] = []

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
