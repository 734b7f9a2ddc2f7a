internal import ArgumentParser

/// Whether what is written may take the place of something.
struct OverwritingOptions: ParsableArguments {
  @Flag(help: "Replace an existing file that -o names.")
  var force = false

  /// Where output goes to stdout without `-o`, nothing can be replaced.
  func validate(output: String?) throws {
    if force, output == nil { throw ValidationError("--force: it goes with -o; give both") }
  }
}
