internal import ArgumentParser

/// Whether what is written may take the place of something.
struct OverwritingOptions: ParsableArguments {
  @Flag(help: "Replace the file that -o names, should it exist.")
  var force = false

  /// Where output goes to stdout without `-o`, nothing can be replaced.
  func validate(output: String?) throws {
    if force, output == nil { throw ValidationError("--force: it goes with -o; give both") }
  }
}
