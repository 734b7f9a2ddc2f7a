internal import ArgumentParser

/// `tapeline ca`: the authority by which HTTPS is decrypted.
struct CACommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ca",
    abstract: "Manage the certificate authority that decrypts HTTPS.",
    discussion: """
      The authority is created on first use. Anybody who has its key can read the HTTPS of everybody who trusts it: only you can \
      read the key, and it stays on this machine.

      EXAMPLES
        tapeline ca create
        curl --cacert "$(tapeline ca path)" --proxy localhost:8888 https://example.com/
        tapeline ca export --format der -o tapeline.crt
        tapeline ca trust
        sudo tapeline ca trust --install --ca-dir ~/.local/share/tapeline
      """,
    subcommands: [CACreateCommand.self, CAPathCommand.self, CAExportCommand.self, CATrustCommand.self])
}
