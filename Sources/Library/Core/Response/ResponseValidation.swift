public import FoundationEssentials
internal import TapelineBase

extension DataRequest {
  /// Judges a response whose body is in memory.
  public typealias Validation =
    @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ data: Data?) -> ValidationResult

  /// Fails the request when `validation` fails. Validations run in the order added, until one fails.
  @discardableResult
  @preconcurrency
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
  @preconcurrency
  public func validate(contentType acceptableContentTypes: @escaping @Sendable @autoclosure () -> [String]) -> Self {
    validate { _, response, data in
      ResponseValidation.contentType(response, acceptable: acceptableContentTypes(), byteCount: data.map { UInt64($0.count) })
    }
  }

  /// Fails the request unless the status is 2xx and the content type is one that `Accept` asked for.
  ///
  /// ```swift
  /// session.request("https://example.com/tapes/1").validate().responseString { response in
  ///   if case .failure(.responseValidationFailed(let reason)) = response.result { print(reason) }
  /// }
  /// ```
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

extension DownloadRequest {
  /// Judges a response whose body is in a file.
  public typealias Validation =
    @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse, _ fileURL: URL?) -> ValidationResult

  /// Makes the request fail if `validation` does. Validations run in the order added, until one fails.
  @discardableResult
  @preconcurrency
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
  @preconcurrency
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

extension DataStreamRequest {
  /// Judges a response whose body is not kept.
  public typealias Validation = @Sendable (_ request: URLRequest?, _ response: HTTPURLResponse) -> ValidationResult

  /// Fails the request when `validation` fails. Validations run in the order added, until one fails.
  @discardableResult
  @preconcurrency
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
  @preconcurrency
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

/// Whether a response is acceptable; `failure` says why not.
public typealias ValidationResult = Result<Void, any Error>

/// The rules of validation, no matter where the body went.
package enum ResponseValidation {
  package static let acceptableStatusCodes = 200..<300

  package static func statusCode(_ response: HTTPURLResponse, in acceptable: some Sequence<Int>) -> ValidationResult {
    acceptable.contains(response.statusCode)
      ? .success(()) : .failure(.unacceptableStatusCode(code: response.statusCode))
  }

  /// An empty body has no type that could be wrong. `byteCount` is the body's length, `nil` without a body; for a file it is
  /// the file's size, known without reading the file.
  package static func contentType(
    _ response: HTTPURLResponse, acceptable: [String], byteCount: UInt64?
  ) -> ValidationResult {
    guard let byteCount, byteCount > 0 else { return .success(()) }
    let ranges = acceptable.compactMap(MIMEType.init)
    guard let text = response.mimeType, let type = MIMEType(text) else {
      return ranges.contains(where: \.isWildcard)
        ? .success(()) : .failure(.missingContentType(acceptableContentTypes: acceptable.sorted()))
    }
    return ranges.contains { $0.matches(type) }
      ? .success(()) : .failure(.unacceptableContentType(acceptableContentTypes: acceptable.sorted(), responseContentType: text))
  }

  /// The types that the request's `Accept` fields ask for; any type when they name none (RFC 9110 12.5.1).
  package static func acceptableContentTypes(of request: URLRequest?) -> [String] {
    let members = (request?.headers.values(for: "Accept") ?? []).flatMap { $0.split(separator: ",") }
    let types = members.map { FieldParameters(String($0)) }.filter { !$0.value.isEmpty && !$0.isRefused }.map(\.value)
    return types.isEmpty ? ["*/*"] : types
  }
}

extension FieldParameters {
  /// Whether the weight is 0: not acceptable (RFC 9110 12.4.2).
  fileprivate var isRefused: Bool {
    self["q"].flatMap(Double.init) == 0
  }
}

extension ValidationResult {
  fileprivate static func failure(_ reason: TapelineError.ResponseValidationFailureReason) -> ValidationResult {
    .failure(TapelineError.responseValidationFailed(reason: reason))
  }
}

/// A media type or a range of them (RFC 9110 8.3.1, 12.5.1), compared without regard to case and parameters.
struct MIMEType: Hashable {
  let type: String
  let subtype: String

  /// `nil` for text that is not `type/subtype`: without a slash, with more than one, or with nothing on one side of it.
  init?(_ text: String) {
    let parts = MediaType(text).essence.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    type = String(parts[0])
    subtype = String(parts[1])
  }

  /// `*/*`.
  var isWildcard: Bool { type == "*" && subtype == "*" }

  /// Whether `other` is in this range.
  func matches(_ other: MIMEType) -> Bool {
    (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
  }
}
