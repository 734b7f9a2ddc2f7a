internal import ArgumentParser

/// Which secrets are replaced before anything reaches the disk.
struct SecretOptions: ParsableArguments {
  @Option(
    name: .customLong("redact"),
    help: ArgumentHelp(
      "More rules for secrets: a file with lines header NAME, name GLOB, pattern REGEX; repeatable.", valueName: "file"))
  var redactionFiles: [String] = []

  @Flag(name: .customLong("no-redact"), help: "Let secrets reach the disk: credentials, cookies, tokens.")
  var keepsSecrets = false

  func validate() throws {
    if keepsSecrets, !redactionFiles.isEmpty {
      throw ValidationError("--redact and --no-redact: they contradict each other; give one")
    }
  }
}
