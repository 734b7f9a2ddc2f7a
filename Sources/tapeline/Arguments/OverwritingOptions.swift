internal import ArgumentParser

/// Whether output may replace an existing file.
struct OverwritingOptions: ParsableArguments {
  @Flag(help: "Replace an existing file that -o names.")
  var force = false

  /// For commands that write to stdout without `-o`, where there is nothing to replace.
  func validate(output: String?) throws {
    if force, output == nil { throw ValidationError("--force: it goes with -o; give both") }
  }
}
