internal import ArgumentParser
internal import TapelineSystem
internal import TapelineTLS

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
    let isNew = !SystemCalls.exists(directory.certificateFile)
    let certificate = try Self.make(in: directory)
    Console.say(
      isNew ? "made an authority in \(directory.path)" : "there is an authority in \(directory.path); nothing was changed")
    var output = StandardOutput()
    try output.write(lines: Self.lines(certificate, directory))
    try output.flush()
  }

  private static func make(in directory: AuthorityDirectory) throws(CommandFailure) -> AuthorityCertificate {
    do throws(AuthorityError) {
      return try CertificateAuthority.loadOrCreate(in: directory).certificate
    } catch {
      throw CommandFailure(error)
    }
  }

  static func lines(_ certificate: AuthorityCertificate, _ directory: AuthorityDirectory) -> [String] {
    [
      "name         \(certificate.commonName)",
      "valid until  \(certificate.lastDay)",
      "sha256       \(certificate.fingerprint)",
      "certificate  \(directory.certificateFile)",
      "key          \(directory.keyFile)",
    ]
  }
}
