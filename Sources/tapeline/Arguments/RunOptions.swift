internal import ArgumentParser

/// When to report a failure although the command succeeded.
struct RunOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Exit with 1 if fewer exchanges than this were recorded, unless the command itself failed; 0 permits none.",
      valueName: "n"))
  var require = 1

  func validate() throws {
    try tapeline.require("--require", require, require >= 0, "of 0 or more")
  }
}
