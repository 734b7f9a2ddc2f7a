internal import FoundationEssentials
internal import TapelineSystem

extension URL {
  /// The path of a file URL.
  var filePath: String? { isFileURL ? path : nil }

  var requiredFilePath: String {
    get throws(FileError) {
      guard let filePath else { throw FileError(.open, absoluteString, code: ErrorCode.invalidArgument) }
      return filePath
    }
  }
}
