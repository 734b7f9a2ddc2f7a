internal import ArgumentParser
internal import TapelineLoop

/// Where the proxy listens, and who is told.
struct ListeningOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Listen here; may repeat. Port 0 takes a free one.", valueName: "host:port"))
  var listen: [EndpointArgument] = []

  @Flag(help: "Allow --listen on an address that other machines can reach.")
  var allowRemote = false

  @Option(help: ArgumentHelp("Write HOST:PORT here once listening, for scripts.", valueName: "file"))
  var portFile: String?

  func validate() throws {
    if !allowRemote, let remote = listen.first(where: { !$0.address.isLoopback }) {
      throw ValidationError(
        "--listen \(remote): other machines could use this proxy and be recorded; add --allow-remote to allow it")
    }
  }
}
