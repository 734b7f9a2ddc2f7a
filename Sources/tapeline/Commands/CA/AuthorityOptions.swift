internal import ArgumentParser
internal import TapelineSystem
internal import TapelineTLS

/// The authority that a command is about.
struct AuthorityOptions: ParsableArguments {
  @Option(
    name: .customLong("ca-dir"),
    help: ArgumentHelp("The authority's directory. (default: $XDG_DATA_HOME/tapeline)", valueName: "dir"))
  var path: String?

  func directory(environment: [String: String] = ProcessEnvironment.variables()) -> AuthorityDirectory {
    path.map { AuthorityDirectory(path: AbsolutePath.of($0)) } ?? AuthorityDirectory(environment: environment)
  }

  func certificate() throws(CommandFailure) -> AuthorityCertificate {
    do throws(AuthorityError) {
      return try AuthorityCertificate.load(from: directory())
    } catch {
      throw CommandFailure(error)
    }
  }
}
