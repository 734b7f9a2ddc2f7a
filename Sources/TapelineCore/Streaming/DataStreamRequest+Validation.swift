extension DataStreamRequest {
  /// Judges a response whose body is not kept.
  public typealias Validation = @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse) -> ValidationResult

  /// Fails the request when `validation` fails. Validations run in the order added, until one fails.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    addValidator { [weak self] in
      guard let self, self.error == nil, let response = self.response else { return nil }
      let result = validation(self.request, response)
      self.eventMonitor?.request(self, didValidateRequest: self.request, response: response, withResult: result)
      return result.error
    }
    return self
  }

  /// Fails the request when the status is not among `acceptableStatusCodes`.
  @discardableResult
  public func validate<Codes: Sequence<Int> & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self {
    validate { _, response in ResponseValidation.statusCode(response, in: acceptableStatusCodes) }
  }

  /// Fails the request when the response's content type is not among those given; `*` stands for any.
  @discardableResult
  public func validate(contentType acceptableContentTypes: @escaping @Sendable @autoclosure () -> [String]) -> Self {
    validate { [weak self] _, response in
      ResponseValidation.contentType(response, acceptable: acceptableContentTypes(), byteCount: self?.receivedByteCount)
    }
  }

  /// Fails the request unless the status is 2xx and the content type is one that `Accept` asked for.
  @discardableResult
  public func validate() -> Self {
    validate(statusCode: ResponseValidation.acceptableStatusCodes)
      .validate { [weak self] request, response in
        ResponseValidation.contentType(
          response, acceptable: ResponseValidation.acceptableContentTypes(of: request), byteCount: self?.receivedByteCount)
      }
  }

  /// Validators run on the loop.
  private var receivedByteCount: UInt64 { streamDelegate.received }
}
