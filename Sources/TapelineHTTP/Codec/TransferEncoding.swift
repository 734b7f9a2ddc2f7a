internal import TapelineText

/// The value of Transfer-Encoding (RFC 9112 6.1): chunked is the only coding that tapeline can relay.
enum TransferEncoding {
  /// Throws unless the field, over all its lines, is exactly `chunked`.
  static func requireChunkedAlone(_ fields: HeaderFields, in part: HTTPParseError.Part) throws(HTTPParseError) {
    var codings: [Coding] = []
    for index in fields.indices where fields.knownName(at: index) == .transferEncoding {
      var members = ListMembers(of: fields.valueRange(at: index))
      while let member = members.next(in: fields.bytes.span) {
        codings.append(try Coding(fields.bytes.span.extracting(member), in: part))
      }
    }
    if codings == [.chunked] { return }
    guard let last = codings.last else { throw HTTPParseError(.invalidTransferEncoding, in: part) }
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
