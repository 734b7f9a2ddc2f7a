internal import FoundationEssentials

/// Moves a finished download to its destination: removes the previous file, makes directories, moves the file, in this order.
/// Blocks.
struct DownloadPlacement {
  let destination: URL
  let options: DownloadRequest.Options

  /// The destination that the user's closure returns. Without a closure, a name next to the temporary file that begins with
  /// `kept-`.
  init(of temporaryURL: URL, _ response: HTTPURLResponse, destination: DownloadRequest.Destination?) {
    if let destination {
      let wanted = destination(temporaryURL, response)
      self.destination = wanted.destinationURL
      options = wanted.options
    } else {
      self.destination = temporaryURL.deletingLastPathComponent()
        .appending(component: "kept-" + temporaryURL.lastPathComponent, directoryHint: .notDirectory)
      options = []
    }
  }

  func move(_ temporaryURL: URL) throws(TapelineError) {
    do throws(FileError) {
      let source = try temporaryURL.requiredFilePath
      let destination = try destination.requiredFilePath
      if options.contains(.removePreviousFile) { try FileCalls.removeTree(destination) }
      if options.contains(.createIntermediateDirectories), let end = destination.lastIndex(of: "/"), end > destination.startIndex
      {
        try FileCalls.makeDirectories(String(destination[..<end]))
      }
      try FileMove.move(source, to: destination)
    } catch {
      throw .downloadedFileMoveFailed(error: error, source: temporaryURL, destination: destination)
    }
  }
}
