package import TapelineTransport

extension Error {
  /// This error as the library's, if it is one.
  public var asTapelineError: TapelineError? { self as? TapelineError }

  /// This error as the library's; any other error is a mistake in the program and stops it with `message`.
  public func asTapelineError(orFailWith message: @autoclosure () -> String) -> TapelineError {
    guard let error = self as? TapelineError else { preconditionFailure(message()) }
    return error
  }

  /// This error as the library's, or `other` in place of one that is not.
  public func asTapelineError(or other: @autoclosure () -> TapelineError) -> TapelineError {
    self as? TapelineError ?? other()
  }
}

extension TapelineError {
  /// The transport's error; `nil` if the failure is not the transport's.
  package var transportError: TransportError? {
    switch self {
    case .sessionTaskFailed(let error):
      error as? TransportError ?? (error as? TapelineError)?.transportError
    default:
      nil
    }
  }
}

/// The library's error under the name that users of Alamofire know.
public typealias AFError = TapelineError
