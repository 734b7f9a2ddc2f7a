internal import ArgumentParser
internal import TapelineTLS

/// `tapeline ca trust`: how to trust the authority, and how to stop trusting it.
struct CATrustCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trust",
    abstract: "Print how each system, browser and tool trusts the authority, and how not any more.",
    discussion: """
      What tapeline run starts needs none of this: it is told by its environment.

      EXAMPLES
        tapeline ca trust
        sudo tapeline ca trust --install --ca-dir ~/.local/share/tapeline
        sudo tapeline ca trust --remove --ca-dir ~/.local/share/tapeline
      """)

  @Flag(help: "Do it: for this machine, on Debian and its relatives; needs root.")
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
    let store = DebianTrustStore()
    if install {
      let file = try store.install(certificate, from: directory)
      Console.say(
        "this machine trusts \(certificate.commonName), by \(file); Firefox, Chromium and Java have stores of their own")
    } else if remove {
      let wasThere = try store.remove(certificate, from: directory)
      Console.say(
        wasThere
          ? "this machine no longer trusts \(certificate.commonName)" : "this machine did not trust \(certificate.commonName)")
    } else {
      var output = StandardOutput()
      try output.write(lines: TrustInstructions(certificate: certificate, directory: directory).lines)
      try output.flush()
    }
  }
}
