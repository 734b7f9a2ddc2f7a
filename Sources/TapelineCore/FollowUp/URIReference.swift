/// A URI or a reference to one, cut where RFC 3986 3 cuts it. Bytes are kept as they are.
package struct URIReference: Hashable, Sendable {
  /// In lower case.
  package var scheme: String?
  /// With userinfo and port.
  package var authority: String?
  package var path: String
  package var query: String?
  package var fragment: String?

  /// Every text is a reference (RFC 3986 B).
  package init(_ text: some StringProtocol) {
    var rest = Substring(text)
    if let mark = rest.firstIndex(of: "#") {
      fragment = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let mark = rest.firstIndex(of: "?") {
      query = String(rest[rest.index(after: mark)...])
      rest = rest[..<mark]
    }
    if let colon = rest.firstIndex(where: { ":/".contains($0) }), rest[colon] == ":", Self.isScheme(rest[..<colon]) {
      scheme = rest[..<colon].lowercased()
      rest = rest[rest.index(after: colon)...]
    }
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      let end = rest.firstIndex(of: "/") ?? rest.endIndex
      authority = String(rest[..<end])
      rest = rest[end...]
    }
    path = String(rest)
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

  /// What this reference means in a document at `base` (RFC 3986 5.2.2).
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

  /// RFC 3986 5.2.4, of a path by its segments.
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

  /// RFC 3986 3.1.
  private static func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy {
      isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "+-.".utf8.contains($0)
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }
}
