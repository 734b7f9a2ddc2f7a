package import TapelineHAR
internal import TapelineSystem

/// Why a file cannot be read as a HAR.
package enum CaptureError: Error, Hashable {
  /// The system refused, by its `errno`.
  case system(code: Int32)
  case malformed(HARReadError)
  /// It is something else; `compression` names what it was packed with, as in `gzip`.
  case foreign(ForeignContent, in: String?)
  /// The compressed data is damaged or cut off; what comes before was read.
  case undecodable(String)
  /// Nobody records into such a file: it cannot be followed.
  case notGrowing(String)
  /// What must be read more than once cannot be kept in a temporary file.
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
  /// The same of what the system says.
  init(_ error: SystemCallError) {
    self = .system(code: error.code)
  }

  /// Does what the system may refuse.
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
