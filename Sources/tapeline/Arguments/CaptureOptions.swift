internal import ArgumentParser

/// The options that `record` and `run` share, by concern.
struct CaptureOptions: ParsableArguments {
  @OptionGroup(title: "Listening")
  var listening: ListeningOptions

  @OptionGroup(title: "Access")
  var access: AccessOptions

  @OptionGroup(title: "Log")
  var log: LogOptions

  @OptionGroup(title: "Export")
  var export: ExportOptions

  @OptionGroup(title: "HTTPS")
  var https: HTTPSOptions

  @OptionGroup(title: "Upstream proxy")
  var upstream: UpstreamOptions

  @OptionGroup(title: "Faithfulness")
  var faithfulness: FaithfulnessOptions

  @OptionGroup(title: "Limits")
  var limits: LimitOptions

  @Flag(name: .shortAndLong, help: "Print only errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Also print the settings.")
  var verbose = false

  func validate() throws {
    if quiet, verbose {
      throw ValidationError("--quiet and --verbose: they contradict each other; give one")
    }
  }
}

/// Refuses a value that breaks its rule.
func require(_ option: String, _ value: some CustomStringConvertible, _ holds: Bool, _ rule: String) throws {
  guard holds else { throw ValidationError("\(option) \(value): out of range; give a value \(rule)") }
}
