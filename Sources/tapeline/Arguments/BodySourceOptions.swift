internal import ArgumentParser
internal import TapelineInspect

/// The directory of the bodies that a HAR has in files of their own.
struct BodySourceOptions: ParsableArguments {
  @Option(
    name: .customLong("bodies-from"),
    help: ArgumentHelp(
      "The directory of the bodies that record --bodies-dir kept in files. (default: where the HAR says)", valueName: "directory")
  )
  var directory: String?

  func files(besideHAR path: String) -> BodyFiles {
    BodyFiles(besideHAR: path, directory: directory)
  }
}
