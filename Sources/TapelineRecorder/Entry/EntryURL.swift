internal import TapelineCore
internal import TapelineHAR
internal import TapelineHTTP
internal import TapelineText

/// The URL of a request as HAR wants it: absolute, without userinfo and fragment, a URI by RFC 3986.
enum EntryURL {
  /// The bytes as they came, made absolute.
  ///
  /// - Parameter implied: where the connection leads, for a target that is not a whole URL; `nil` means `http` and the `Host`.
  static func text(of head: RequestHead, implied: ImpliedOrigin?) -> [UInt8] {
    switch head.target {
    case .absolute where implied != nil:
      var text = origin(of: head, implied)
      let path = text.count
      head.appendOriginForm(into: &text)
      // The origin form of OPTIONS without a path is `*`, which is not a path.
      if text[path] != UInt8(ascii: "/") { text.replaceSubrange(path..., with: [UInt8(ascii: "/")]) }
      return text
    case .absolute(let target):
      var text: [UInt8] = []
      target.appendSanitized(into: &text)
      // A URL always has a path.
      let end = authorityEnd(of: text)
      if end == text.count || text[end] == UInt8(ascii: "?") { text.insert(UInt8(ascii: "/"), at: end) }
      return text
    case .authority(let host, let port):
      return Array("https://\(Authority.text(host: host, port: port))/".utf8)
    case .origin:
      var text = origin(of: head, implied)
      head.appendOriginForm(into: &text)
      return text
    case .asterisk:
      return origin(of: head, implied) + [UInt8(ascii: "/")]
    }
  }

  private static func origin(of head: RequestHead, _ implied: ImpliedOrigin?) -> [UInt8] {
    // The `Host` is only the client's claim; the connection's destination is known.
    let authority = implied?.authority ?? head.fields.first(of: .host) ?? "invalid.invalid"
    return Array("\(implied?.scheme.text ?? "http")://\(authority)".utf8)
  }

  /// Appends `url` as a JSON string and percent-encodes every byte that a URI must not contain.
  static func append(encoded url: [UInt8], to writer: inout JSONWriter) {
    let plain = Self.plain
    guard let first = url.firstIndex(where: { !plain.contains($0) }) else {
      if !writer.append(utf8: url.span) { preconditionFailure("plain bytes of a URI are ASCII") }
      return
    }
    var encoded = Array(url[..<first])
    let authorityEnd = authorityEnd(of: url)
    for index in first..<url.count {
      let byte = url[index]
      let isBracketOfHost = index < authorityEnd && (byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]"))
      let isEscape = byte == Byte.percent && PercentEncoding.isEscape(in: url.span, at: index)
      if plain.contains(byte) || isBracketOfHost || isEscape {
        encoded.append(byte)
      } else {
        PercentEncoding.append(encoded: byte, to: &encoded)
      }
    }
    if !writer.append(utf8: encoded.span) { preconditionFailure("an encoded URI is ASCII") }
  }

  /// Unreserved and reserved characters (RFC 3986, 2.2 and 2.3), except the brackets, which only a host may contain.
  private static let plain = ByteSet.unreserved.union(":/?@!$&'()*+,;=")

  /// The start of the path.
  static func authorityEnd(of url: [UInt8]) -> Int {
    URIRanges(url.span).path.lowerBound
  }
}
