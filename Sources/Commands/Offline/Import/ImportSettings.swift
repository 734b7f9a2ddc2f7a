internal import TapelineRedaction

/// The settings of all imports: where the HAR goes, and what is left out of it.
package struct ImportSettings: Sendable {
  /// The HAR to write; `nil` for stdout.
  package var output: String?
  /// Whether `output` may exist.
  package var replaces: Bool
  /// Files with rules for secrets in addition to ours.
  package var redactionFiles: [String]
  package var keepsSecrets: Bool
  /// The most bytes that are kept of a body.
  package var bodyLimit: Int
  /// Whether only errors are printed.
  package var isQuiet: Bool
  /// The version of the log's creator.
  package var version: String

  package init(
    output: String?, replaces: Bool, redactionFiles: [String], keepsSecrets: Bool, bodyLimit: Int, isQuiet: Bool, version: String
  ) {
    self.output = output
    self.replaces = replaces
    self.redactionFiles = redactionFiles
    self.keepsSecrets = keepsSecrets
    self.bodyLimit = bodyLimit
    self.isQuiet = isQuiet
    self.version = version
  }

  /// The rules by which secrets are replaced; `nil` keeps them.
  func rules() throws(CommandFailure) -> RedactionRules? {
    keepsSecrets ? nil : try RedactionFiles.rules(redactionFiles)
  }

  func target() throws(CommandFailure) -> OutputFile {
    guard let output else { return OutputFile(showing: .json) }
    return try OutputFile(path: output, replacing: replaces)
  }

  /// The output's name in messages.
  var outputName: String { output ?? "standard output" }

  /// Prints what became of the input, unless the user wants no such line.
  func report(_ text: String) {
    if !isQuiet { Console.say("\(outputName): \(text)") }
  }
}
