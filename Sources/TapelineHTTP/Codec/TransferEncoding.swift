/// The value of Transfer-Encoding (RFC 9112 6.1): the only coding we can relay is chunked.
enum TransferEncoding {
  /// Throws unless the field, over all its lines, is exactly `chunked`.
  static func requireChunkedAlone(_ fields: HeaderFields, in part: HTTPParseError.Part) throws(HTTPParseError) {
    var codings: [Coding] = []
    for index in fields.indices where fields.knownName(at: index) == .transferEncoding {
      var members = ListMembers(of: fields.valueRange(at: index))
      while let member = members.next(in: fields.octets.span) {
        codings.append(try Coding(fields.octets.span.extracting(member), in: part))
      }
    }
    if codings == [.chunked] { return }
    guard let last = codings.last else { throw HTTPParseError(.invalidTransferEncoding, in: part) }
    if codings.contains(.unknown) { throw HTTPParseError(.unknownTransferCoding, in: part) }
    let isChunkedOnceAndLast = last == .chunked && codings.count { $0 == .chunked } == 1
    // A registered coding under chunked is well formed, but we would have to undo it to see the content.
    throw HTTPParseError(isChunkedOnceAndLast ? .unknownTransferCoding : .unchunkedTransferEncoding, in: part)
  }

  private enum Coding {
    case chunked
    /// Another registered coding (RFC 9112 7.2).
    case compression
    case unknown

    init(_ member: Span<UInt8>, in part: HTTPParseError.Part) throws(HTTPParseError) {
      var end = 0
      while end < member.count, OctetSet.token.contains(member[end]) { end += 1 }
      guard end > 0 else { throw HTTPParseError(.invalidTransferEncoding, in: part) }
      let name = member.extracting(0..<end)
      let isChunked = name.equalsIgnoringCase("chunked".utf8.span)
      if end < member.count {
        // Only parameters may follow a coding, and chunked has none.
        let rest = member.trimmed(end..<member.count)
        guard !isChunked, member[rest.lowerBound] == Octet.semicolon else {
          throw HTTPParseError(.invalidTransferEncoding, in: part)
        }
      }
      self = isChunked ? .chunked : Self.isCompression(name) ? .compression : .unknown
    }

    private static func isCompression(_ name: Span<UInt8>) -> Bool {
      name.equalsIgnoringCase("gzip".utf8.span) || name.equalsIgnoringCase("x-gzip".utf8.span)
        || name.equalsIgnoringCase("deflate".utf8.span) || name.equalsIgnoringCase("compress".utf8.span)
        || name.equalsIgnoringCase("x-compress".utf8.span)
    }
  }
}
