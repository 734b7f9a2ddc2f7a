extension Result {
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

  /// `SUCCESS: value` or `FAILURE: error`, as a response's description prints it.
  var debugText: String {
    switch self {
    case .success(let value): "SUCCESS: \(value)"
    case .failure(let error): "FAILURE: \(error)"
    }
  }
}
