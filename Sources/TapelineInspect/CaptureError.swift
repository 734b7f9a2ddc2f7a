package import TapelineHAR
internal import TapelineSystem

/// Why a file cannot be read as a HAR.
package enum CaptureError: Error, Hashable {
  /// A system call failed with this `errno`.
  case system(code: Int32)
  case malformed(HARReadError)
  /// The file is something else; `compression` names its compression, as in `gzip`.
  case foreign(ForeignContent, in: String?)
  /// The compressed data is damaged or cut off; the data before the damage was read.
  case undecodable(String)
  /// tapeline cannot record into such a file, so it cannot be followed.
  case notGrowing(String)
  /// A source that must be read more than once cannot be kept in a temporary file.
  case notKept(directory: String, reason: String)
}

extension CaptureError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let code): SystemCallError.text(of: code)
    case .malformed(let error): error.description
    case .foreign(let content, in: nil): "it is \(content.name), not a HAR"
    case .foreign(let content, in: let compression?): "it is a \(compression) file of \(content.name), not a HAR"
    case .undecodable(let reason): "damaged compressed data, \(reason)"
    case .notGrowing(let what): "it is \(what), and no recording writes to it"
    case .notKept(let directory, let reason): "it cannot be kept in \(directory) to be read again: \(reason)"
    }
  }
}

extension CaptureError {
  /// The same for a failed system call.
  init(_ error: SystemCallError) {
    self = .system(code: error.code)
  }

  /// Runs code that makes system calls, and turns their errors into capture errors.
  static func rethrowing<Result: ~Copyable>(
    _ body: () throws(SystemCallError) -> Result
  ) throws(CaptureError) -> Result {
    do throws(SystemCallError) {
      return try body()
    } catch {
      throw CaptureError(error)
    }
  }
}
