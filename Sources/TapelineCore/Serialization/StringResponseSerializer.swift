public import FoundationEssentials

/// The body as text: in the given encoding, else in the one that the response's `charset` names; if neither is known, as UTF-8 if
/// it is valid UTF-8, else as ISO-8859-1, in which every byte is a character.
public struct StringResponseSerializer: ResponseSerializer {
  public let dataPreprocessor: any DataPreprocessor
  /// `nil` for the response's own.
  public let encoding: TextEncoding?
  public let emptyRequestMethods: Set<HTTPMethod>
  public let emptyResponseCodes: Set<Int>

  /// A serializer; arguments that are left out take the defaults.
  public init(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), encoding: TextEncoding? = nil,
    emptyResponseCodes: Set<Int> = StringResponseSerializer.defaultEmptyResponseCodes,
    emptyRequestMethods: Set<HTTPMethod> = StringResponseSerializer.defaultEmptyRequestMethods
  ) {
    self.dataPreprocessor = dataPreprocessor
    self.encoding = encoding
    self.emptyResponseCodes = emptyResponseCodes
    self.emptyRequestMethods = emptyRequestMethods
  }

  public func serialize(
    request: URLRequest?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
  ) throws -> String {
    guard let body = try body(request: request, response: response, data: data, error: error) else { return "" }
    guard let encoding = encoding ?? response?.textEncodingName.flatMap(TextEncoding.init(name:)) else {
      return TextEncoding.utf8.decode(body) ?? String(String.UnicodeScalarView(body.map { Unicode.Scalar($0) }))
    }
    guard let text = encoding.decode(body) else {
      throw TapelineError.responseSerializationFailed(reason: .stringSerializationFailed(encoding: encoding))
    }
    return text
  }
}

extension ResponseSerializer where Self == StringResponseSerializer {
  /// The body as text in the response's own encoding.
  public static var string: StringResponseSerializer { StringResponseSerializer() }

  /// The body as text.
  public static func string(
    dataPreprocessor: any DataPreprocessor = PassthroughPreprocessor(), encoding: TextEncoding? = nil
  ) -> StringResponseSerializer {
    StringResponseSerializer(dataPreprocessor: dataPreprocessor, encoding: encoding)
  }
}
