public import FoundationEssentials

extension DownloadRequest {
  /// Judges a response whose body is in a file.
  public typealias Validation =
    @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ fileURL: URL?) -> ValidationResult

  /// Makes the request fail if `validation` does. Validations run in the order added, until one fails.
  @discardableResult
  public func validate(_ validation: @escaping Validation) -> Self {
    addValidator { [weak self] in
      guard let self, self.error == nil, let response = self.response else { return nil }
      let result = validation(self.request, response, self.fileURL)
      self.eventMonitor?.request(
        self, didValidateRequest: self.request, response: response, fileURL: self.fileURL, withResult: result)
      return result.error
    }
    return self
  }

  /// Makes the request fail if the status is not among `acceptableStatusCodes`.
  @discardableResult
  public func validate<Codes: Sequence<Int> & Sendable>(statusCode acceptableStatusCodes: Codes) -> Self {
    validate { _, response, _ in ResponseValidation.statusCode(response, in: acceptableStatusCodes) }
  }

  /// Makes the request fail if there is a body and its content type is not among those given; `*` stands for any.
  @discardableResult
  public func validate(contentType acceptableContentTypes: @escaping @Sendable @autoclosure () -> [String]) -> Self {
    validate { _, response, fileURL in
      ResponseValidation.contentType(response, acceptable: acceptableContentTypes(), byteCount: Self.size(of: fileURL))
    }
  }

  /// Makes the request fail unless the status is 2xx and the content type one that `Accept` asked for.
  @discardableResult
  public func validate() -> Self {
    validate(statusCode: ResponseValidation.acceptableStatusCodes)
      .validate { request, response, fileURL in
        ResponseValidation.contentType(
          response, acceptable: ResponseValidation.acceptableContentTypes(of: request), byteCount: Self.size(of: fileURL))
      }
  }

  /// The size is enough: the content type can be checked without reading the file.
  private static func size(of fileURL: URL?) -> UInt64? {
    guard let path = fileURL?.filePath else { return nil }
    do throws(FileError) {
      return try FileCalls.status(of: path).size
    } catch {
      return nil
    }
  }
}
