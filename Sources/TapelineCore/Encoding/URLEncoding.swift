internal import TapelineText

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
    switch QueryValue(value) {
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
private enum QueryValue {
  case none
  case bool(Bool)
  case text(String)
  case array([Any])
  case dictionary([String: Any])

  init(_ value: Any) {
    switch value {
    case let optional as any OptionalValue: self = optional.wrapped.map(QueryValue.init) ?? .none
    case let bool as Bool: self = .bool(bool)
    case let text as String: self = .text(text)
    case let members as [String: Any]: self = .dictionary(members)
    case let elements as [Any]: self = .array(elements)
    default: self = .text("\(value)")
    }
  }
}
