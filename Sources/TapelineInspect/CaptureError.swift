internal import Glibc
package import TapelineHAR

/// Why a file cannot be read as a HAR.
package enum CaptureError: Error, Hashable {
  /// The system refused, by its `errno`.
  case system(code: Int32)
  case malformed(HARReadError)
}

extension CaptureError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .system(let code): unsafe String(cString: strerror(code))
    case .malformed(let error): error.description
    }
  }
}
