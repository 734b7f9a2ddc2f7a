internal import FoundationEssentials

/// What a download has come to, for its responses.
struct DownloadResults: Sendable {
  /// Where the body was first written.
  var temporaryURL: URL?
  /// Where it was moved to, or was to be.
  var destinationURL: URL?
  /// Where it is; `nil` while, or when, it is at neither place.
  var fileURL: URL?
  var resumeData: Data?

  /// Where the file was put at the wish of whoever asked for it.
  var placedPath: String? { fileURL == destinationURL ? fileURL?.filePath : nil }
}
