internal import FoundationEssentials

/// The results of a download, for its responses.
struct DownloadResults: Sendable {
  /// Where the body was first written.
  var temporaryURL: URL?
  /// Where the file was moved to, or should have been.
  var destinationURL: URL?
  /// Where the file is now; `nil` if it is at neither place.
  var fileURL: URL?
  var resumeData: Data?

  /// The path of the file if it is at its destination.
  var placedPath: String? { fileURL == destinationURL ? fileURL?.filePath : nil }
}
