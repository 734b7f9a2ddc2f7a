public import FoundationEssentials

/// Writes a value as JSON into the body.
public struct JSONParameterEncoder: ParameterEncoder {
  /// Members in the order of their keys, so that equal parameters give equal text.
  public static var `default`: JSONParameterEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return JSONParameterEncoder(encoder: encoder)
  }

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
  public static func json(encoder: JSONEncoder) -> JSONParameterEncoder {
    JSONParameterEncoder(encoder: encoder)
  }
}
