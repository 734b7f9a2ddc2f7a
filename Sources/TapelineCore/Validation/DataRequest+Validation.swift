public import FoundationEssentials

extension DataRequest {
  /// Judges a response whose body is in memory.
  public typealias Validation =
    @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ data: Data?) -> ValidationResult

  /// Fails the request when `validation` fails. Validations run in the order added, until one fails.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    // The request keeps the closure, and is kept by the session while it runs.
    addValidator { [weak self] in
      guard let self, error == nil, let response else { return nil }
      let result = validation(request, response, data)
      eventMonitor?.request(self, didValidateRequest: request, response: response, data: data, withResult: result)
      return result.error
    }
    return self
  }

  /// Fails the request when the status is not among `acceptableStatusCodes`.
  @discardableResult
  public func validate<Codes: Sequence<Int> & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self {
    validate { _, response, _ in ResponseValidation.statusCode(response, in: acceptableStatusCodes) }
  }

  /// Fails the request when there is a body and its content type is not among those given; `*` stands for any.
  @discardableResult
  public func validate(contentType acceptableContentTypes: @escaping @Sendable @autoclosure () -> [String]) -> Self {
    validate { _, response, data in
      ResponseValidation.contentType(response, acceptable: acceptableContentTypes(), byteCount: data.map { UInt64($0.count) })
    }
  }

  /// Fails the request unless the status is 2xx and the content type is one that `Accept` asked for.
  @discardableResult
  public func validate() -> Self {
    validate(statusCode: ResponseValidation.acceptableStatusCodes)
      .validate { request, response, data in
        ResponseValidation.contentType(
          response, acceptable: ResponseValidation.acceptableContentTypes(of: request),
          byteCount: data.map { UInt64($0.count) })
      }
  }
}
