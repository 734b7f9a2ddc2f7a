internal import ArgumentParser
internal import TapelineLive
internal import TapelineOffline
internal import TapelineSystem
internal import TapelineTLS

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
    try ExportedAuthority.certificate(in: directory())
  }
}

/// `tapeline ca create`: makes the authority, unless there is one.
struct CACreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create the authority; an existing one stays as it is.",
    discussion: """
      EXAMPLES
        tapeline ca create
        tapeline ca create --ca-dir ./test-authority
      """)

  @OptionGroup
  var authority: AuthorityOptions

  mutating func run() throws {
    let directory = authority.directory()
    let (certificate, isNew) = try ExportedAuthority.make(in: directory)
    Console.say(
      isNew ? "made an authority in \(directory.path)" : "there is an authority in \(directory.path); nothing was changed")
    try StandardOutput.print(ExportedAuthority.lines(certificate, directory))
  }
}

/// `tapeline ca path`: where the certificate is.
struct CAPathCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract: "Print the path of the authority's certificate (PEM).",
    discussion: """
      EXAMPLES
        curl --cacert "$(tapeline ca path)" --proxy localhost:8888 https://example.com/
        export NODE_EXTRA_CA_CERTS="$(tapeline ca path)"
      """)

  @OptionGroup
  var authority: AuthorityOptions

  mutating func run() throws {
    // A path that leads nowhere helps no script.
    _ = try authority.certificate()
    try StandardOutput.print([authority.directory().certificateFile])
  }
}

/// `tapeline ca trust`: how to trust the authority, and how to stop trusting it.
struct CATrustCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Print how to make systems, browsers and tools trust the authority, and how to undo it.",
    discussion: """
      A command under tapeline run needs none of this: its environment names the authority.

      EXAMPLES
        tapeline ca trust
        sudo tapeline ca trust --install --ca-dir ~/.local/share/tapeline
        sudo tapeline ca trust --remove --ca-dir ~/.local/share/tapeline
      """)

  @Flag(help: "Trust it on this machine (Debian and its relatives); needs root.")
  var install = false

  @Flag(help: "Undo --install.")
  var remove = false

  @OptionGroup
  var authority: AuthorityOptions

  func validate() throws {
    if install, remove {
      throw ValidationError("--install and --remove: they contradict each other; give one")
    }
  }

  mutating func run() throws {
    let certificate = try authority.certificate()
    let directory = authority.directory()
    if install || remove {
      Console.say(try DebianTrustStore().text(ofInstalling: install, certificate, from: directory))
    } else {
      try StandardOutput.print(TrustInstructions(certificate: certificate, directory: directory).lines)
    }
  }
}

/// `tapeline ca export`: the certificate in the form that another device or program takes. Never the key.
struct CAExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the authority's certificate, without its key.",
    usage: "tapeline ca export [--format pem|der|p12|spki] [-o <file>] [<options>]",
    discussion: """
      The formats: pem, for nearly everything; der, for Android and Windows; p12 (PKCS #12), for programs that take nothing \
      else; spki, the key's pin for Chromium's --ignore-certificate-errors-spki-list.

      EXAMPLES
        tapeline ca export > tapeline.pem
        tapeline ca export --format der -o tapeline.crt
        tapeline ca export --format p12 --password secret -o tapeline.p12
        tapeline ca export --format spki
      """)

  @Option(help: ArgumentHelp("One of pem, der, p12, spki.", valueName: "format"))
  var format: CertificateFormat = .pem

  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write. (default: stdout)", valueName: "file"))
  var output: String?

  @Option(help: ArgumentHelp("The password of the p12 file, which has no secret in it. (default: empty)", valueName: "password"))
  var password: String?

  @OptionGroup
  var authority: AuthorityOptions

  func validate() throws {
    if password != nil, format != .p12 {
      throw ValidationError("--password: a \(format.rawValue) file has none; leave it out or add --format p12")
    }
  }

  mutating func run() throws {
    let bytes = try format.bytes(of: try authority.certificate(), password: password ?? "")
    if let output { return try ExportedAuthority.write(bytes, to: output) }
    try ExportedAuthority.print(bytes, as: format)
  }
}
