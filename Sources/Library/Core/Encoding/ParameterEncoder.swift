public import FoundationEssentials

/// A way to put a value of any `Encodable` type into a request.
public protocol ParameterEncoder: Sendable {
  /// The request with the parameters; the same request if `parameters` is `nil`.
  func encode<ParameterValue: Encodable & Sendable>(
    _ parameters: ParameterValue?, into request: URLRequest
  ) throws -> URLRequest
}

/// Writes a value as JSON into the body.
public struct JSONParameterEncoder: ParameterEncoder {
  /// Members in the order of their keys, so that equal parameters give equal text.
  public static var `default`: JSONParameterEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return JSONParameterEncoder(encoder: encoder)
  }

  /// Members in the order of their keys, which is the `default` here.
  public static var sortedKeys: JSONParameterEncoder { .default }

  /// As `default`, with line ends and indentation.
  public static var prettyPrinted: JSONParameterEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return JSONParameterEncoder(encoder: encoder)
  }

  /// Encodes the value. Do not change the encoder after you have passed it.
  public let encoder: JSONEncoder

  /// Writes values with `encoder`.
  public init(encoder: JSONEncoder = JSONEncoder()) {
    self.encoder = encoder
  }

  public func encode<ParameterValue: Encodable & Sendable>(
    _ parameters: ParameterValue?, into request: URLRequest
  ) throws -> URLRequest {
    guard let parameters else { return request }
    var request = request
    do {
      request.httpBody = try encoder.encode(parameters)
    } catch {
      throw TapelineError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
    }
    if !request.headers.contains(name: "Content-Type") { request.headers.update(.contentType("application/json")) }
    return request
  }
}

extension ParameterEncoder where Self == JSONParameterEncoder {
  /// JSON with sorted members.
  public static var json: JSONParameterEncoder { .default }

  /// JSON from the caller's encoder.
  public static func json(encoder: JSONEncoder = JSONParameterEncoder.default.encoder) -> JSONParameterEncoder {
    JSONParameterEncoder(encoder: encoder)
  }
}

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
