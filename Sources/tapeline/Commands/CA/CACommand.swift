internal import ArgumentParser

/// `tapeline ca`: the authority by which HTTPS is decrypted.
struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Look after the certificate authority by which HTTPS is decrypted.",
    discussion: """
      The authority is made at the first need. Whoever has its key can read the HTTPS of everybody who trusts it: the key is \
      readable for you alone, and stays on this machine.

      EXAMPLES
        tapeline ca create
        curl --cacert "$(tapeline ca path)" --proxy localhost:8888 https://example.com/
        tapeline ca export --format der -o tapeline.crt
        tapeline ca trust
        sudo tapeline ca trust --install --ca-dir ~/.local/share/tapeline
      """,
    subcommands: [CACreateCommand.self, CAPathCommand.self, CAExportCommand.self, CATrustCommand.self])
}
