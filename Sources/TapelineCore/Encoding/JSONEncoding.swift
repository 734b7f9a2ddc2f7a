internal import FoundationEssentials

/// Writes parameters as a JSON object into the body.
///
/// Members are sorted by name, so that equal parameters give equal text.
public struct JSONEncoding: ParameterEncoding {
  /// How the text is laid out.
  public struct WritingOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
      self.rawValue = rawValue
    }

    /// With line ends and indentation, for people.
    public static let prettyPrinted = WritingOptions(rawValue: 1 << 0)
  }

  /// Without needless blanks.
  public static let `default` = JSONEncoding()
  /// With line ends and indentation.
  public static let prettyPrinted = JSONEncoding(options: .prettyPrinted)

  /// How the JSON is written.
  public let options: WritingOptions

  /// Writes JSON as `options` say.
  public init(options: WritingOptions = []) {
    self.options = options
  }

  public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
    guard let parameters else { return try urlRequest.asURLRequest() }
    return try encode(urlRequest, withJSONObject: parameters)
  }

  /// As `encode(_:with:)`, for any value that JSON can represent; throws for any other, such as a date or an infinite number.
  public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: (any Sendable)?) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let jsonObject else { return request }
    let value: JSONValue
    do throws(JSONValue.UnrepresentableValue) {
      value = try JSONValue(jsonObject)
    } catch {
      throw TapelineError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
    }
    if !request.headers.contains(name: "Content-Type") { request.headers.update(.contentType("application/json")) }
    request.httpBody = Data(value.text(isPretty: options.contains(.prettyPrinted)).utf8)
    return request
  }
}
