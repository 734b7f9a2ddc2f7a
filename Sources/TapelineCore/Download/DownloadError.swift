/// Why a finished download has no file.
public enum DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The rest was not as long as its `Content-Range` said.
  case wrongLength(expected: UInt64, actual: UInt64)

  /// One sentence.
  public var description: String {
    switch self {
    case .wrongLength(let expected, let actual): "the file has \(actual) bytes where there should be \(expected)"
    }
  }
}
