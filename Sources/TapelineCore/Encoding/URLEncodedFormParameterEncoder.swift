/// Writes a value as a form: into the URL's query or into the body.
public struct URLEncodedFormParameterEncoder: ParameterEncoder {
  /// Where the text goes.
  public typealias Destination = QueryDestination

  /// Into the URL or the body, depending on the method.
  public static let `default` = URLEncodedFormParameterEncoder()

  /// Writes the value.
  public let encoder: URLEncodedFormEncoder
  /// Where the text goes.
  public let destination: Destination

  /// Writes values with `encoder`, and puts the text at `destination`.
  public init(encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(), destination: Destination = .methodDependent) {
    self.encoder = encoder
    self.destination = destination
  }

  public func encode<ParameterValue: Encodable & Sendable>(
    _ parameters: ParameterValue?, into request: URLRequest
  ) throws -> URLRequest {
    guard let parameters else { return request }
    var request = request
    let query: String
    do {
      query = try encoder.encode(parameters)
    } catch {
      throw TapelineError.parameterEncoderFailed(reason: .encoderFailed(error: error))
    }
    try destination.add(
      query, to: &request, missingURL: .parameterEncoderFailed(reason: .missingRequiredComponent(.url)))
    return request
  }
}

extension ParameterEncoder where Self == URLEncodedFormParameterEncoder {
  /// A form, into the URL or the body, depending on the method.
  public static var urlEncodedForm: URLEncodedFormParameterEncoder { .default }

  /// A form from the caller's encoder.
  public static func urlEncodedForm(
    encoder: URLEncodedFormEncoder = URLEncodedFormEncoder(),
    destination: URLEncodedFormParameterEncoder.Destination = .methodDependent
  ) -> URLEncodedFormParameterEncoder {
    URLEncodedFormParameterEncoder(encoder: encoder, destination: destination)
  }
}
