internal import ArgumentParser
internal import TapelineHAR
internal import TapelineInspect

/// `tapeline merge A B… -o OUT`: one log of several.
struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Join several HARs into one.",
    discussion: """
      Entries come in the order in which their exchanges began, each unchanged. Pages are kept; if two logs have pages with the \
      same id, those of the later one are renamed. A member _merged gives the source of each entry.

      EXAMPLES
        tapeline merge session.har session-1.har -o whole.har
        tapeline merge client.har proxy.har -o both.har
      """)

  @Argument(help: ArgumentHelp("The HARs to read, two or more; - for stdin.", valueName: "file"))
  var files: [String]

  @Option(
    name: .shortAndLong, help: ArgumentHelp("The HAR to write; must not exist, unless --force is given.", valueName: "file"))
  var output: String

  @OptionGroup
  var overwriting: OverwritingOptions

  func validate() throws {
    if files.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input: it is only one capture; name files for the others")
    }
    if files.count < 2 { throw ValidationError("merge: there must be two logs or more; name them before -o") }
  }

  mutating func run() throws {
    let merge = try index()
    let target = try OutputFile(path: output, replacing: overwriting.force)
    let creator = HARCreator(name: "tapeline", version: programVersion)
    do throws(CaptureMerge.Failure<CommandFailure>) {
      try merge.write(creator: creator) { (piece) throws(CommandFailure) in try target.write(piece) }
    } catch {
      switch error {
      case .source(let index, let error): throw CaptureFile.failure(files[index], error)
      case .sink(let failure): throw failure
      }
    }
    try target.finish()
    Console.say("\(output): \(Count.text(merge.entryCount, "entry", "entries")) of \(files.count) logs")
  }

  private func index() throws(CommandFailure) -> CaptureMerge {
    var sources: [InputSource] = []
    for file in files { sources.append(try CaptureFile.source(file, for: .anywhere)) }
    do throws(CaptureMerge.Failure<Never>) {
      return try CaptureMerge(sources)
    } catch {
      switch error {
      case .source(let index, let error): throw CaptureFile.failure(files[index], error)
      }
    }
  }
}
