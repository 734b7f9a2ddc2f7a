internal import ArgumentParser
internal import TapelineSystem
internal import TapelineTLS

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
    let bytes = try contents()
    guard let output else { return try writeOut(bytes) }
    try Self.write(bytes, to: output)
  }

  private func contents() throws(CommandFailure) -> [UInt8] {
    let certificate = try authority.certificate()
    do throws(AuthorityError) {
      return try format.bytes(of: certificate, password: password ?? "")
    } catch {
      throw CommandFailure(error)
    }
  }

  private func writeOut(_ bytes: [UInt8]) throws(CommandFailure) {
    guard format.isText || !Terminal.isTerminal else {
      throw CommandFailure(
        status: .usage, what: "standard output", why: "a terminal cannot show a \(format.rawValue) file",
        remedy: "name one with -o")
    }
    var standardOutput = StandardOutput()
    try standardOutput.write(bytes)
    try standardOutput.flush()
  }

  /// Replaces regular files only: a device's name must still name the device afterwards.
  static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    if let found = SystemCalls.statusIfPresent(of: path), found.kind != .regular {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: "it is not a regular file", remedy: "name a file, or leave -o out for stdout")
    }
    do throws(PrivateFileError) {
      try WholeFile.write(bytes, to: path, mode: 0o644)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description, remedy: "name a file that can be written")
    }
  }
}
