/// How a recipient finds the end of a message's content (RFC 9112 6.3).
package enum BodyFraming: Hashable, Sendable {
  /// There is no content, and no field gives its length.
  case none
  case length(UInt64)
  case chunked
  /// The end of the connection ends the content: responses only.
  case untilClose

  /// The length of the content in bytes, where the framing gives it.
  package var length: UInt64? {
    switch self {
    case .length(let length): length
    case .none, .chunked, .untilClose: nil
    }
  }

  /// The framing of a request. A request in which two readers could see two different lengths is refused.
  package static func ofRequest(_ head: RequestHead) throws(HTTPParseError) -> BodyFraming {
    let framing = try declared(by: head.fields, version: head.version, in: .request) ?? .none
    guard head.method == .connect else { return framing }
    switch framing {
    case .none, .length(0): return .none
    case .length, .chunked, .untilClose: throw HTTPParseError(.contentInConnect, in: .request)
    }
  }

  /// The framing of a response, which depends on the request.
  package static func ofResponse(_ head: ResponseHead, to method: HTTPMethod) throws(HTTPParseError) -> BodyFraming {
    // Rules 1 and 2: no content, whatever the fields say.
    if method == .head || HTTPStatus.forbidsContent(head.status) { return .none }
    if method == .connect, HTTPStatus.isSuccessful(head.status) { return .none }
    return try declared(by: head.fields, version: head.version, in: .response) ?? .untilClose
  }

  /// Whether the fields announce content, correctly or not. `Content-Length: 0` does not.
  static func isAnnounced(by fields: HeaderFields) -> Bool {
    fields.contains(.transferEncoding) || (fields.contains(.contentLength) && !ContentLength.isZero(in: fields))
  }

  /// Rules 3 to 6: the framing that the fields declare; `nil` when they declare nothing.
  private static func declared(
    by fields: HeaderFields, version: HTTPVersion, in part: HTTPParseError.Part
  ) throws(HTTPParseError) -> BodyFraming? {
    let hasLength = fields.contains(.contentLength)
    guard fields.contains(.transferEncoding) else {
      return hasLength ? .length(try ContentLength.parse(fields, in: part)) : nil
    }
    if version < .http11 { throw HTTPParseError(.transferEncodingInHTTP10, in: part) }
    if hasLength { throw HTTPParseError(.bothFramings, in: part) }
    try TransferEncoding.requireChunkedAlone(fields, in: part)
    return .chunked
  }
}
