internal import TapelineText

/// Whether a response is acceptable; `failure` says why not.
public typealias ValidationResult = Result<Void, any Error>

/// The rules of validation, no matter where the body went.
package enum ResponseValidation {
  package static let acceptableStatusCodes = 200..<300

  package static func statusCode(_ response: HTTPURLResponse, in acceptable: some Sequence<Int>) -> ValidationResult {
    acceptable.contains(response.statusCode)
      ? .success(()) : .failure(.unacceptableStatusCode(code: response.statusCode))
  }

  /// An empty body has no type that could be wrong. `byteCount` is the body's length, `nil` without a body; for a file it is the
  /// file's size, known without reading the file.
  package static func contentType(
    _ response: HTTPURLResponse, acceptable: [String], byteCount: UInt64?
  ) -> ValidationResult {
    guard let byteCount, byteCount > 0 else { return .success(()) }
    let ranges = acceptable.compactMap(MIMEType.init)
    guard let text = response.mimeType, let type = MIMEType(text) else {
      return ranges.contains(where: \.isWildcard)
        ? .success(()) : .failure(.missingContentType(acceptableContentTypes: acceptable))
    }
    return ranges.contains { $0.matches(type) }
      ? .success(()) : .failure(.unacceptableContentType(acceptableContentTypes: acceptable, responseContentType: text))
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
