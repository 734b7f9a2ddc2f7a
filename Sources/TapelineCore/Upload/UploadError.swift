/// Why a body could not be sent to its end, or not with its declared length.
public enum UploadError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file or stream ended before its declared length: the file was truncated meanwhile, or the length was wrong.
  case endedEarly(expected: UInt64, read: UInt64)
  /// The stream went on after its declared length.
  case exceededLength(expected: UInt64)

  /// One sentence.
  public var description: String {
    switch self {
    case .endedEarly(let expected, let read): "the body ended after \(read) of \(expected) bytes"
    case .exceededLength(let expected): "the body went on after its \(expected) bytes"
    }
  }
}
