internal import TapelineHAR
internal import TapelineInspect
internal import TapelineBase

/// One log of several.
package enum Merging {
  /// Writes the entries of `files` in the order in which their exchanges began, and says how many there are.
  ///
  /// - Parameters:
  ///   - replaces: whether `output` may exist.
  ///   - version: the version of the log's creator.
  package static func merge(
    _ files: [String], to output: String, replacing replaces: Bool, version: String
  ) throws(CommandFailure) {
    let merge = try index(files, into: output)
    let target = try OutputFile(path: output, replacing: replaces)
    let creator = HARCreator(name: "tapeline", version: version)
    do throws(CaptureMerge.Failure<CommandFailure>) {
      try merge.write(creator: creator) { (piece) throws(CommandFailure) in try target.write(piece) }
    } catch {
      switch error {
      case .source(let index, let error): throw CaptureFile.failure(files[index], error)
      case .sink(let failure): throw failure
      }
    }
    try target.finish()
    for (file, count, first) in merge.unreadable {
      Console.say("\(file): \(Count.text(count, "element")) cannot be read and left out: \(first.description)")
    }
    Console.say("\(output): \(Count.text(merge.entryCount, "entry", "entries")) of \(files.count) logs")
  }

  private static func index(_ files: [String], into output: String) throws(CommandFailure) -> CaptureMerge {
    var sources: [InputSource] = []
    for file in files { sources.append(try CaptureFile.source(file, for: .anywhere)) }
    do throws(CaptureMerge.Failure<Never>) {
      return try CaptureMerge(sources, into: output)
    } catch {
      switch error {
      case .source(let index, let error): throw CaptureFile.failure(files[index], error)
      }
    }
  }
}
