extension Result {
  /// Whether there is a value.
  public var isSuccess: Bool {
    switch self {
    case .success: true
    case .failure: false
    }
  }

  /// Whether there is an error.
  public var isFailure: Bool { !isSuccess }

  /// The value of a success.
  public var value: Success? {
    switch self {
    case .success(let value): value
    case .failure: nil
    }
  }

  /// The error of a failure.
  public var error: Failure? {
    switch self {
    case .success: nil
    case .failure(let error): error
    }
  }

  /// The failure if there is an error, else the success.
  init(value: Success, error: Failure?) {
    self = error.map { .failure($0) } ?? .success(value)
  }

  /// `SUCCESS` or `FAILURE`.
  public var outcomeText: String { isSuccess ? "SUCCESS" : "FAILURE" }

  /// `SUCCESS: value` or `FAILURE: error`, as a response's description prints it.
  public var debugText: String {
    switch self {
    case .success(let value): "\(outcomeText): \(value)"
    case .failure(let error): "\(outcomeText): \(error)"
    }
  }
}

/// A value, or the library's error.
public typealias AFResult<Success> = Result<Success, TapelineError>

extension Result where Failure == TapelineError {
  /// As `map`, with a transformation that may throw; an error that it throws is wrapped unless it is a `TapelineError`.
  func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> AFResult<NewSuccess> {
    flatMap { value in
      do {
        return .success(try transform(value))
      } catch {
        return .failure(.fromTransform(error))
      }
    }
  }

  /// The same with another error, wrapped unless it is a `TapelineError`.
  func mapToLibraryError(_ transform: (TapelineError) -> any Error) -> AFResult<Success> {
    mapError { .fromTransform(transform($0)) }
  }

  /// As `mapToLibraryError`; an error that the transformation throws replaces the error.
  func tryMapToLibraryError(_ transform: (TapelineError) throws -> any Error) -> AFResult<Success> {
    mapToLibraryError { error in
      do {
        return try transform(error)
      } catch {
        return error
      }
    }
  }
}

extension TapelineError {
  fileprivate static func fromTransform(_ error: any Error) -> TapelineError {
    error.asTapelineError(or: .responseSerializationFailed(reason: .customSerializationFailed(error: error)))
  }
}
