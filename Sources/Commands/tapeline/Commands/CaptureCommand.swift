internal import ArgumentParser

/// A command that records: `record`, `run` or `replay`. They share these options, by concern, and differ in their job.
///
/// The groups stand here and not in a group of their own: the parser of a debug build goes through each level five times.
struct CaptureCommand<Job: CaptureJob>: ParsableCommand {
  static var configuration: CommandConfiguration { Job.configuration }

  @OptionGroup
  var job: Job

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

  @OptionGroup(title: "Conditions")
  var conditions: ConditionOptions

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
    try job.validate(with: self)
  }

  mutating func run() throws {
    try job.run(with: self)
  }
}

/// The purpose of one of the recording commands, and the options that it alone has.
protocol CaptureJob: ParsableArguments {
  static var configuration: CommandConfiguration { get }

  /// Refuses what contradicts the shared options.
  func validate(with options: CaptureCommand<Self>) throws
  func run(with options: CaptureCommand<Self>) throws
}

extension CaptureJob {
  func validate(with options: CaptureCommand<Self>) throws {}
}

/// Refuses a value that breaks its rule.
func require(_ option: String, _ value: some CustomStringConvertible, _ holds: Bool, _ rule: String) throws {
  guard holds else { throw ValidationError("\(option) \(value): out of range; give a value \(rule)") }
}
