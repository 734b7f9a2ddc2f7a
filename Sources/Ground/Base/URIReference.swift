/// A URI or URI reference, split as in RFC 3986 3. Bytes are kept as they are.
package struct URIReference: Hashable, Sendable {
  /// In lower case.
  package var scheme: String?
  /// With userinfo and port.
  package var authority: String?
  package var path: String
  package var query: String?
  package var fragment: String?

  /// Every text is a reference (RFC 3986 appendix B).
  package init(_ text: String) {
    let ranges = URIRanges(text)
    scheme = ranges.scheme.map { text[utf8: $0].withoutCapitals }
    authority = ranges.authority.map { String(text[utf8: $0]) }
    path = String(text[utf8: ranges.path])
    query = ranges.query.map { String(text[utf8: $0]) }
    fragment = ranges.fragment.map { String(text[utf8: $0]) }
  }

  /// Name and password as written, if there are any (RFC 3986 3.2.1).
  package var userinfo: String? {
    authority.flatMap { authority in authority.utf8.lastIndex(of: UInt8(ascii: "@")).map { String(authority[..<$0]) } }
  }

  /// Host and port as written; `nil` without an authority.
  package var hostAndPort: String? {
    authority.map { authority in
      guard let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return authority }
      return String(authority[authority.utf8.index(after: at)...])
    }
  }

  /// The part that a client requests from a server.
  package var pathAndQuery: String { path + (query.map { "?\($0)" } ?? "") }

  /// The text without credentials and fragment: for people and logs.
  package var sanitized: String {
    (scheme.map { "\($0):" } ?? "") + (hostAndPort.map { "//\($0)" } ?? "") + pathAndQuery
  }

  /// RFC 3986 5.3.
  package var text: String {
    var text = ""
    if let scheme { text += "\(scheme):" }
    if let authority { text += "//\(authority)" }
    text += path
    if let query { text += "?\(query)" }
    if let fragment { text += "#\(fragment)" }
    return text
  }

  /// The URI that this reference means in a document at `base` (RFC 3986 5.2.2).
  package func resolved(against base: URIReference) -> URIReference {
    var target = self
    if scheme != nil {
      target.path = Self.withoutDotSegments(path)
      return target
    }
    target.scheme = base.scheme
    if authority != nil {
      target.path = Self.withoutDotSegments(path)
      return target
    }
    target.authority = base.authority
    if path.isEmpty {
      target.path = base.path
      target.query = query ?? base.query
    } else if path.hasPrefix("/") {
      target.path = Self.withoutDotSegments(path)
    } else {
      target.path = Self.withoutDotSegments(merged(with: base))
    }
    return target
  }

  /// RFC 3986 5.2.3.
  private func merged(with base: URIReference) -> String {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    guard let slash = base.path.lastIndex(of: "/") else { return path }
    return base.path[...slash] + path
  }

  /// RFC 3986 5.2.4, applied to a path by its segments.
  static func withoutDotSegments(_ path: String) -> String {
    guard path.contains(".") else { return path }
    var output: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".":
        if isLast { output.append("") }
      case "..":
        // The empty segment before a leading slash stays.
        if output.count > 1 || output.first?.isEmpty == false { output.removeLast() }
        if isLast { output.append("") }
      default:
        output.append(segment)
      }
    }
    return output.joined(separator: "/")
  }
}

/// The ranges of the five parts of a URI or URI reference in its bytes (RFC 3986 3).
///
/// Every text is a reference (RFC 3986 appendix B). Nothing is decoded, checked or repaired.
package struct URIRanges: Sendable, Hashable {
  /// Without its colon.
  package let scheme: Range<Int>?
  /// Without its slashes.
  package let authority: Range<Int>?
  package let path: Range<Int>
  /// Without its question mark.
  package let query: Range<Int>?
  /// Without its number sign.
  package let fragment: Range<Int>?

  package init(_ bytes: Span<UInt8>) {
    let number = bytes.firstIndex(of: UInt8(ascii: "#"), from: 0)
    let end = number ?? bytes.count
    let mark = min(bytes.firstIndex(of: UInt8(ascii: "?"), from: 0) ?? end, end)
    fragment = number.map { $0 + 1..<bytes.count }
    query = mark < end ? mark + 1..<end : nil

    let schemeEnd = Self.schemeEnd(of: bytes, before: mark)
    scheme = schemeEnd.map { 0..<$0 }
    let rest = schemeEnd.map { $0 + 1 } ?? 0
    guard rest + 1 < mark, bytes[rest] == UInt8(ascii: "/"), bytes[rest + 1] == UInt8(ascii: "/") else {
      authority = nil
      path = rest..<mark
      return
    }
    let authorityEnd = min(bytes.firstIndex(of: Byte.slash, from: rest + 2) ?? mark, mark)
    authority = rest + 2..<authorityEnd
    path = authorityEnd..<mark
  }

  package init(_ text: String) {
    self.init(text.utf8.span)
  }

  /// The part before the fragment: what a client requests.
  package var pathAndQuery: Range<Int> { path.lowerBound..<(query?.upperBound ?? path.upperBound) }

  /// The index of the colon after a scheme (RFC 3986 3.1).
  private static func schemeEnd(of bytes: Span<UInt8>, before end: Int) -> Int? {
    for index in 0..<end {
      let byte = bytes[index]
      if byte == Byte.colon { return index > 0 ? index : nil }
      guard index == 0 ? Byte.isLetter(byte) : ByteSet.scheme.contains(byte) else { return nil }
    }
    return nil
  }
}

extension String {
  /// The text in a range of its UTF-8.
  package subscript(utf8 range: Range<Int>) -> Substring {
    let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    return self[start..<utf8.index(start, offsetBy: range.count)]
  }
}
