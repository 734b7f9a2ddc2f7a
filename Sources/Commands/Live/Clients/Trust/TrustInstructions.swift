internal import TapelineInspect
package import TapelineTLS

/// The output of `tapeline ca trust`, with this authority's names and paths in every command.
package struct TrustInstructions {
  let certificate: AuthorityCertificate
  private let directory: AuthorityDirectory

  package init(certificate: AuthorityCertificate, directory: AuthorityDirectory) {
    self.certificate = certificate
    self.directory = directory
  }

  /// The authority's name in stores that want a short name. It is the same on every machine.
  static func nickname(of certificate: AuthorityCertificate) -> String {
    "tapeline-\(certificate.fingerprint.prefix(16))"
  }

  package var lines: [String] {
    heading + (systems + devices + browsers + tools).flatMap(\.lines)
  }

  /// Quoted for a shell.
  var file: String { directory.certificateFile.shellQuoted }

  var home: String { directory.path.shellQuoted }

  var nickname: String { Self.nickname(of: certificate) }

  private var heading: [String] {
    [
      "# How to trust \(certificate.commonName), and how to stop",
      "",
      "  certificate  \(directory.certificateFile.printable)",
      "  sha256       \(certificate.fingerprint)",
      "  valid until  \(certificate.lastDay)",
      "",
      "Anybody who has ca.key can read the HTTPS of everybody who trusts this authority: trust it on machines that you test with,",
      "and only as long as you need it.",
      "",
      "A command under tapeline run needs none of the following, and a shell after eval \"$(tapeline env)\" needs little: their",
      "variables name a bundle of the system's roots and this one. A variable that you set by hand, as below, names only this one:",
      "except for Node.js and Deno, which add it to their own, programs then trust no server whose HTTPS is not decrypted.",
      "",
    ]
  }
}

/// How to make one system, browser or tool trust an authority, and how to undo that.
struct TrustInstruction {
  let title: String
  /// A fact that the user must know and that the commands do not show.
  var remark: String?
  /// Commands, or steps if no command exists.
  let trust: [String]
  let remove: [String]

  var lines: [String] {
    var lines = ["## \(title)"]
    if let remark { lines.append("  \(remark)") }
    lines.append("  Trust:")
    lines += trust.map { "    \($0)" }
    lines.append("  Remove:")
    lines += remove.map { "    \($0)" }
    return lines + [""]
  }
}
