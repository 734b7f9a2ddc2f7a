extension QueryField {
  /// Why the field can never be equal to a text, and how to ask for what was probably meant; `nil` if it can.
  func impossibility(of text: String) -> (reason: String, remedy: String)? {
    guard case .known(let field) = source, !text.isEmpty else { return nil }
    if field == .host { return Self.hostImpossibility(text) }
    if field == .scheme, text.contains(":") { return ("a scheme has no colon", "write \"\(text.prefix { $0 != ":" })\"") }
    if field == .origin { return Self.originImpossibility(text) }
    if field == .path, text.contains("?") { return ("a path has no query", "use url, or query[\"…\"]") }
    if field == .path, text.first != "/" { return ("a path begins with /", "write \"/\(text)\", or ~ for a part of the path") }
    if field == .mime || field == .requestMime, text.contains(";") {
      return ("a media type has no parameters here", "write \"\(text.prefix { $0 != ";" })\"")
    }
    if field == .type, ResourceType(rawValue: text) == nil {
      return ("no exchange has this type", "the types are \(ResourceType.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return nil
  }

  /// Why no value has this pattern: `localhost:8080` in a host. Only a pattern without doubt is refused.
  func impossibility(ofPattern pattern: String) -> (reason: String, remedy: String)? {
    guard case .known(.host) = source else { return nil }
    let port = pattern.hasSuffix("$") ? pattern.dropLast() : pattern[...]
    return Self.namesPort(port) ? Self.hostPort : nil
  }

  private static let hostPort = (reason: "host has no port", remedy: "use origin, or port beside host")

  private static func hostImpossibility(_ text: String) -> (reason: String, remedy: String)? {
    if text.contains("/") { return ("host has no scheme and no path", "use origin or url, or write the name alone") }
    if text.hasPrefix("[") { return ("host has no brackets", "write the address alone; use origin for the port") }
    return namesPort(text[...]) ? hostPort : nil
  }

  /// Whether the text is a name and a port. An address of IPv6 has more colons, and only hexadecimal digits before the first.
  private static func namesPort(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, parts[1].allSatisfy({ $0.isASCII && $0.isNumber || $0 == "*" }) else {
      return false
    }
    return parts[0].contains { $0 == "." || $0.isLetter && !$0.isHexDigit }
  }

  private static func originImpossibility(_ text: String) -> (reason: String, remedy: String)? {
    guard let scheme = text.firstRange(of: "://") else {
      return ("an origin begins with its scheme", "write \"https://\(text)\", or use host")
    }
    let authority = text[scheme.upperBound...]
    if authority.contains("/") {
      return ("an origin has no path", "write \"\(text[..<scheme.upperBound])\(authority.prefix { $0 != "/" })\"")
    }
    let standard = ["http": ":80", "ws": ":80", "https": ":443", "wss": ":443"][text[..<scheme.lowerBound].lowercased()]
    guard let standard, authority.hasSuffix(standard) else { return nil }
    return ("an origin has no default port", "write \"\(text.dropLast(standard.count))\"")
  }
}
