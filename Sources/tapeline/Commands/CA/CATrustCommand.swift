internal import ArgumentParser
internal import TapelineTLS

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
