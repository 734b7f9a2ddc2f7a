internal import FoundationEssentials
internal import TapelineBase

/// Parameters of a request by name: strings, numbers, Booleans, arrays and dictionaries of them.
public typealias Parameters = [String: any Sendable]

/// A way to put parameters into a request.
public protocol ParameterEncoding: Sendable {
  /// The request with the parameters; the same request if `parameters` is `nil`.
  func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

/// Where the text of a query goes.
public enum QueryDestination: Sendable, Hashable {
  /// Into the URL for GET, HEAD and DELETE, into the body for any other method.
  case methodDependent
  /// Always into the URL.
  case queryString
  /// Always into the body.
  case httpBody

  fileprivate func encodesParametersInURL(for method: HTTPMethod) -> Bool {
    switch self {
    case .methodDependent: method == .get || method == .head || method == .delete
    case .queryString: true
    case .httpBody: false
    }
  }

  /// Adds `query` to the URL or sets it as the body. Keeps the URL's own query as it is. Throws `missingURL` if the query
  /// belongs in the URL and there is no URL.
  func add(_ query: String, to request: inout URLRequest, missingURL: @autoclosure () -> TapelineError) throws {
    if encodesParametersInURL(for: request.method) {
      guard let url = request.url else { throw missingURL() }
      guard !query.isEmpty else { return }
      request.url = try url.addingQuery(query)
    } else {
      if !request.headers.contains(name: "Content-Type") {
        request.headers.update(.contentType("application/x-www-form-urlencoded; charset=utf-8"))
      }
      request.httpBody = Data(query.utf8)
    }
  }
}

extension URL {
  /// The same URL with `query`, which is percent-encoded, after its own query.
  fileprivate func addingQuery(_ query: String) throws(TapelineError) -> URL {
    let text = absoluteString
    let fragment = text.drop { $0 != "#" }
    let start = text[..<fragment.startIndex]
    let separator = !start.contains("?") ? "?" : start.hasSuffix("?") ? "" : "&"
    let extended = start + separator + query + fragment
    guard let url = URL(string: String(extended)) else { throw .invalidURL(url: String(extended)) }
    return url
  }
}

/// Writes parameters as a query, `key=value` joined by `&`: into the URL, or as a form into the body.
///
/// Keys are sorted, so that equal parameters give equal text. Arrays and dictionaries are written with brackets, `key[]=1` and
/// `key[inner]=1`, which is common but not a standard.
public struct URLEncoding: ParameterEncoding {
  /// Where the text goes.
  public typealias Destination = QueryDestination

  /// Into the URL or the body, depending on the method.
  public static let `default` = URLEncoding()
  /// Into the URL.
  public static let queryString = URLEncoding(destination: .queryString)
  /// Into the body.
  public static let httpBody = URLEncoding(destination: .httpBody)

  /// Where the text goes.
  public let destination: Destination
  /// How keys of elements are written.
  public let arrayEncoding: ArrayEncoding
  /// How a Boolean is written.
  public let boolEncoding: BoolEncoding
  /// How a `nil` is written.
  public let nilEncoding: NilEncoding
  /// The characters that are not percent-encoded.
  public let allowedCharacters: AllowedCharacters

  /// An encoding; the defaults are what most servers expect.
  ///
  /// - Parameters:
  ///   - destination: where the file goes; `nil` leaves it at its temporary URL.
  ///   - arrayEncoding: how the elements of an array are named.
  ///   - boolEncoding: how a Boolean is written.
  ///   - nilEncoding: how a `nil` is written.
  ///   - allowedCharacters: the characters that are not percent-encoded.
  public init(
    destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets, boolEncoding: BoolEncoding = .numeric,
    nilEncoding: NilEncoding = .dropKey, allowedCharacters: AllowedCharacters = .urlQuery
  ) {
    self.destination = destination
    self.arrayEncoding = arrayEncoding
    self.boolEncoding = boolEncoding
    self.nilEncoding = nilEncoding
    self.allowedCharacters = allowedCharacters
  }

  public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
    var request = try urlRequest.asURLRequest()
    guard let parameters else { return request }
    try destination.add(
      query(parameters), to: &request, missingURL: .parameterEncodingFailed(reason: .missingURL))
    return request
  }

  /// The pairs that one parameter becomes, percent-encoded.
  public func queryComponents(fromKey key: String, value: any Sendable) -> [(String, String)] {
    components(fromKey: key, value: value)
  }

  private func components(fromKey key: String, value: Any) -> [(String, String)] {
    switch QueryParameter(value) {
    case .none:
      nilEncoding.encode().map { [(escape(key), escape($0))] } ?? []
    case .bool(let bool):
      [(escape(key), escape(boolEncoding.encode(bool)))]
    case .text(let text):
      [(escape(key), escape(text))]
    case .array(let elements):
      elements.enumerated().flatMap { index, element in
        components(fromKey: arrayEncoding.encode(key: key, atIndex: index), value: element)
      }
    case .dictionary(let members):
      members.sorted { $0.key < $1.key }.flatMap { components(fromKey: "\(key)[\($0.key)]", value: $0.value) }
    }
  }

  /// `text` in UTF-8, with every byte percent-encoded that is not among the allowed characters.
  public func escape(_ text: String) -> String {
    PercentEncoding.encode(text, keeping: allowedCharacters.bytes)
  }

  private func query(_ parameters: Parameters) -> String {
    parameters.sorted { $0.key < $1.key }
      .flatMap { queryComponents(fromKey: $0.key, value: $0.value) }
      .map { "\($0)=\($1)" }
      .joined(separator: "&")
  }
}

/// The kinds of value that a query distinguishes.
private enum QueryParameter {
  case none
  case bool(Bool)
  case text(String)
  case array([Any])
  case dictionary([String: Any])

  init(_ value: Any) {
    switch value {
    case let optional as any OptionalValue: self = optional.wrapped.map(QueryParameter.init) ?? .none
    case let bool as Bool where isBoolean(value): self = .bool(bool)
    case let text as String: self = .text(text)
    case let members as [String: Any]: self = .dictionary(members)
    case let elements as [Any]: self = .array(elements)
    case let number as Float: self = .text(number.shortText)
    case let number as any BinaryInteger: self = .text("\(number)")
    case let number as Double: self = .text(number.shortText)
    default: self = .text("\(value)")
    }
  }
}

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
  public func encode(
    _ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: (any Sendable)? = nil
  ) throws -> URLRequest {
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
