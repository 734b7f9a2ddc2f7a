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
