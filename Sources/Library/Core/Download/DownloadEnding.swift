internal import FoundationEssentials

/// Decides what happens to a download's file when its task has ended. Runs on the file's queue.
struct DownloadEnding: Sendable {
  let request: URLRequest?
  let response: HTTPURLResponse?
  let destination: DownloadRequest.Destination?
  /// Whether the user takes over a complete file, which then stays where it is.
  let isTakenOver: Bool
  /// The part of an earlier download, if it is still useful.
  let part: ResumeData?
  /// Whether the file is that part and what came after it.
  let isContinued: Bool
  /// Bytes of the whole, if the server said.
  let total: UInt64?
  let failure: (any Error)?
  /// Whether the part of a failed download is kept.
  let keepsPart: Bool

  /// Moves the file, keeps it for a later download, or removes it.
  func settle(_ outcome: DownloadFile.Outcome) -> (DownloadResults, TapelineError?) {
    var results = DownloadResults()
    guard let path = outcome.path else {
      return (results, outcome.failure.map { .sessionTaskFailed(error: $0) })
    }
    let temporaryURL = URL(filePath: path, directoryHint: .notDirectory)
    results.temporaryURL = temporaryURL
    if failure == nil, outcome.failure == nil, let response {
      if isContinued, let total, total != outcome.length {
        TemporaryFile.discard(path)
        let error = DownloadError.wrongLength(expected: total, actual: outcome.length)
        return (results, .sessionTaskFailed(error: error))
      }
      return place(temporaryURL, response, results)
    }
    results.resumeData = resumeData(path, outcome.length)
    if results.resumeData == nil || !isResumable, !isContinued { TemporaryFile.discard(path) }
    return (results, outcome.failure.map { .sessionTaskFailed(error: $0) })
  }

  private func place(
    _ temporaryURL: URL, _ response: HTTPURLResponse, _ begun: DownloadResults
  ) -> (DownloadResults, TapelineError?) {
    var results = begun
    guard !isTakenOver else {
      results.fileURL = temporaryURL
      return (results, nil)
    }
    guard let destination else {
      results.fileURL = temporaryURL
      return (results, nil)
    }
    let placement = DownloadPlacement(of: temporaryURL, response, destination: destination)
    results.destinationURL = placement.destination
    do throws(TapelineError) {
      try placement.move(temporaryURL)
      results.fileURL = placement.destination
      return (results, nil)
    } catch {
      return (results, error)
    }
  }

  /// Whether the file holds the beginning of the requested representation.
  private var isResumable: Bool {
    response.map { $0.statusCode == 200 || isContinued } ?? false
  }

  private func resumeData(_ path: String, _ length: UInt64) -> Data? {
    guard keepsPart else { return nil }
    guard isResumable, let request, let response else { return part?.encoded }
    // A server that takes no ranges says so (RFC 9110 14.3).
    guard response.headers.value(for: "Accept-Ranges")?.lowercased() != "none" else { return nil }
    guard let validator = isContinued ? part?.validator : DownloadValidator(of: response) else { return nil }
    let data = ResumeData(request: request, validator: validator, offset: length, length: total, temporaryPath: path)
    return data?.encoded
  }
}

/// Moves a finished download to its destination: removes the previous file, makes directories, moves the file, in this order.
/// Blocks.
struct DownloadPlacement {
  let destination: URL
  let options: DownloadRequest.Options

  /// The destination that the user's closure returns.
  init(of temporaryURL: URL, _ response: HTTPURLResponse, destination: DownloadRequest.Destination) {
    let wanted = destination(temporaryURL, response)
    self.destination = wanted.destinationURL
    options = wanted.options
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

/// The results of a download, for its responses.
struct DownloadResults: Sendable {
  /// Where the body was first written.
  var temporaryURL: URL?
  /// Where the file was moved to, or should have been; `nil` without a destination.
  var destinationURL: URL?
  /// Where the file is now; `nil` if it is at neither place.
  var fileURL: URL?
  var resumeData: Data?

  /// The path of the file if it is complete.
  var placedPath: String? { fileURL?.filePath }
}
