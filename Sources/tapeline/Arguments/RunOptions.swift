internal import ArgumentParser

/// When a command that has ended well has failed all the same.
struct RunOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Exit with 1 when fewer exchanges than this were recorded, unless the command has failed itself; 0 permits that there are none.",
      valueName: "n"))
  var require = 1

  func validate() throws {
    try tapeline.require("--require", require, require >= 0, "of 0 or more")
  }
}
