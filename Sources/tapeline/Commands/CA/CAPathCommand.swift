internal import ArgumentParser
internal import TapelineTLS

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
    var output = StandardOutput()
    try output.write(line: authority.directory().certificateFile)
    try output.flush()
  }
}
