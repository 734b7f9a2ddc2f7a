internal import TapelineBase

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
  package static func ofRequest(
    _ head: RequestHead, tolerating tolerance: Tolerance = []
  ) throws(HTTPParseError) -> BodyFraming {
    let framing = try declared(by: head.fields, version: head.version, in: .request, tolerance) ?? .none
    guard head.method == .connect else { return framing }
    switch framing {
    case .none, .length(0): return .none
    case .length, .chunked, .untilClose: throw HTTPParseError(.contentInConnect, in: .request)
    }
  }

  /// The framing of a response, which depends on the request.
  package static func ofResponse(
    _ head: ResponseHead, to method: HTTPMethod, tolerating tolerance: Tolerance = []
  ) throws(HTTPParseError) -> BodyFraming {
    // Rules 1 and 2: no content, whatever the fields say.
    if method == .head || HTTPStatus.forbidsContent(head.status) { return .none }
    if method == .connect, HTTPStatus.isSuccessful(head.status) { return .none }
    return try declared(by: head.fields, version: head.version, in: .response, tolerance) ?? .untilClose
  }

  /// Whether the sender may have meant another end than the one that was tolerated: its connection carries no other message (RFC
  /// 9112 6.1).
  static func isDoubtful(_ fields: HeaderFields, version: HTTPVersion) -> Bool {
    fields.contains(.transferEncoding) && (version < .http11 || fields.contains(.contentLength))
  }

  /// Whether the fields announce content, correctly or not. `Content-Length: 0` does not.
  static func isAnnounced(by fields: HeaderFields) -> Bool {
    fields.contains(.transferEncoding) || (fields.contains(.contentLength) && !ContentLength.isZero(in: fields))
  }

  /// Rules 3 to 6: the framing that the fields declare; `nil` when they declare nothing.
  private static func declared(
    by fields: HeaderFields, version: HTTPVersion, in part: HTTPParseError.Part, _ tolerance: Tolerance
  ) throws(HTTPParseError) -> BodyFraming? {
    let hasLength = fields.contains(.contentLength)
    guard fields.contains(.transferEncoding) else {
      return hasLength ? .length(try ContentLength.parse(fields, in: part)) : nil
    }
    if version < .http11, !tolerance.contains(.transferEncodingInHTTP10) {
      throw HTTPParseError(.transferEncodingInHTTP10, in: part)
    }
    if hasLength, !tolerance.contains(.bothFramings) { throw HTTPParseError(.bothFramings, in: part) }
    try TransferEncoding.requireChunkedAlone(fields, in: part, tolerance)
    return .chunked
  }
}

/// The value of Content-Length (RFC 9110 8.6).
package enum ContentLength {
  /// One decimal number, in one line or in several lines that have it digit by digit: all who accept the repetition read the
  /// same length (RFC 9112 6.3), and those who do not refuse the message that goes on as it came.
  package static func parse(_ fields: HeaderFields, in part: HTTPParseError.Part) throws(HTTPParseError) -> UInt64 {
    guard isUnanimous(fields) else { throw HTTPParseError(.severalContentLengths, in: part) }
    guard let length = firstNumber(in: fields) else { throw HTTPParseError(.invalidContentLength, in: part) }
    return length
  }

  /// Whether `parse` would find a number.
  static func isValid(in fields: HeaderFields) -> Bool {
    isUnanimous(fields) && firstNumber(in: fields) != nil
  }

  fileprivate static func isZero(in fields: HeaderFields) -> Bool {
    isUnanimous(fields) && firstNumber(in: fields) == 0
  }

  /// Whether all lines have the same bytes.
  private static func isUnanimous(_ fields: HeaderFields) -> Bool {
    guard let first = fields.firstIndex(of: .contentLength) else { return false }
    let bytes = fields.bytes.span
    let value = bytes.extracting(fields.valueRange(at: first))
    return fields.indices.dropFirst(first + 1).allSatisfy { index in
      fields.knownName(at: index) != .contentLength || bytes.extracting(fields.valueRange(at: index)).equals(value)
    }
  }

  private static func firstNumber(in fields: HeaderFields) -> UInt64? {
    guard let index = fields.firstIndex(of: .contentLength) else { return nil }
    return number(fields.bytes.span.extracting(fields.valueRange(at: index)))
  }

  /// Up to 19 digits and at most 2⁶³ − 1, so that no reader's signed 64-bit number overflows.
  private static func number(_ digits: Span<UInt8>) -> UInt64? {
    guard (1...19).contains(digits.count) else { return nil }
    var number: UInt64 = 0
    for index in digits.indices {
      guard Byte.isDigit(digits[index]) else { return nil }
      number = number * 10 + UInt64(digits[index] - UInt8(ascii: "0"))
    }
    return number <= UInt64(Int64.max) ? number : nil
  }
}

/// The value of Transfer-Encoding (RFC 9112 6.1): chunked is the only coding that tapeline can relay.
enum TransferEncoding {
  /// Throws unless the field, over all its lines, is exactly `chunked`.
  static func requireChunkedAlone(
    _ fields: HeaderFields, in part: HTTPParseError.Part, _ tolerance: Tolerance = []
  ) throws(HTTPParseError) {
    var codings: [Coding] = []
    for index in fields.indices where fields.knownName(at: index) == .transferEncoding {
      var members = ListMembers(of: fields.valueRange(at: index))
      while let member = members.next(in: fields.bytes.span) {
        codings.append(try Coding(fields.bytes.span.extracting(member), in: part))
      }
    }
    if codings == [.chunked] { return }
    guard let last = codings.last else { throw HTTPParseError(.invalidTransferEncoding, in: part) }
    if codings.allSatisfy({ $0 == .chunked }) {
      if tolerance.contains(.repeatedChunked) { return }
      throw HTTPParseError(.repeatedChunked, in: part)
    }
    let isChunkedOnceAndLast = last == .chunked && codings.count { $0 == .chunked } == 1
    // If chunked is not last, the end is unknown whatever the coding is: that rule comes first (RFC 9112 6.3). A coding under
    // chunked is well formed, but tapeline would have to undo it to see the content, even a registered one (RFC 9112 7.2).
    throw HTTPParseError(isChunkedOnceAndLast ? .unknownTransferCoding : .unchunkedTransferEncoding, in: part)
  }

  private enum Coding {
    case chunked
    case other

    init(_ member: Span<UInt8>, in part: HTTPParseError.Part) throws(HTTPParseError) {
      var end = 0
      while end < member.count, ByteSet.token.contains(member[end]) { end += 1 }
      guard end > 0 else { throw HTTPParseError(.invalidTransferEncoding, in: part) }
      let name = member.extracting(0..<end)
      let isChunked = name.equalsIgnoringCase("chunked".utf8.span)
      if end < member.count {
        // Only parameters may follow a coding, and chunked has none.
        let rest = member.trimmed(end..<member.count)
        guard !isChunked, member[rest.lowerBound] == Byte.semicolon else {
          throw HTTPParseError(.invalidTransferEncoding, in: part)
        }
      }
      self = isChunked ? .chunked : .other
    }
  }
}
