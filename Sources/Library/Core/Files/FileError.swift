internal import TapelineLoop
internal import TapelineSystem

/// A file operation that failed.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of file operation.
  public enum Operation: String, Sendable {
    /// Opening or making it.
    case open
    /// Reading from it.
    case read
    /// Writing to it.
    case write
    /// Cutting it to a length.
    case truncate
    /// Closing it, when the system reports the last failed writes.
    case close
    /// Asking what is there.
    case inspect
    /// Removing it.
    case remove
    /// Giving it another name or place.
    case move
    /// Making a directory, or one above it.
    case makeDirectory = "make the directory"
  }

  /// The operation that failed.
  public let operation: Operation
  /// The file, as it was named to the system.
  public let path: String
  /// The `errno` code, positive.
  public let code: Int32

  init(_ operation: Operation, _ path: String, code: Int32) {
    self.operation = operation
    self.path = path
    self.code = code
  }

  static func isDirectory(_ operation: Operation, _ path: String) -> FileError {
    FileError(operation, path, code: ErrorCode.isDirectory)
  }

  static func missing(_ path: String) -> FileError {
    FileError(.inspect, path, code: ErrorCode.notFound)
  }

  /// There is nothing at the path.
  var isMissingFile: Bool { code == ErrorCode.notFound || code == ErrorCode.notDirectory }

  /// One sentence, with the path and what the system says.
  public var description: String {
    "could not \(operation.rawValue) \(path): \(SystemCallError.text(of: code))"
  }
}
