internal import TapelineBase

/// Absolute URIs as HAR requires them (RFC 3986, section 4.3): no fragment, and only bytes that are allowed.
enum URIText {
  /// The text before the fragment.
  static func withoutFragment(_ text: String) -> String {
    String(text.prefix { $0 != "#" })
  }

  /// The text with every byte percent-encoded that is not allowed in its place.
  static func encoded(_ text: String) -> String {
    var output: [UInt8] = []
    let input = Array(text.utf8)
    let host = authority(in: input)?.host
    for (index, byte) in input.enumerated() {
      if isAllowed(byte, at: index, in: input, host: host) {
        output.append(byte)
      } else {
        PercentEncoding.append(encoded: byte, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether the text begins with a scheme and a colon.
  static func hasScheme(_ text: String) -> Bool {
    URIRanges(text).scheme != nil
  }

  /// Whether there is a host: `data:` and `blob:` have none.
  static func hasHost(_ text: String) -> Bool {
    authority(in: Array(text.utf8)).map { !$0.host.isEmpty } ?? false
  }

  /// Whether the port, if any, is a number that a port can be.
  static func hasValidPort(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let port = authority(in: bytes)?.port else { return true }
    guard bytes[port].allSatisfy(Byte.isDigit) else { return false }
    return port.isEmpty || (UInt16(String(decoding: bytes[port], as: UTF8.self)) ?? 0) > 0
  }

  /// The ranges of the authority's parts, in a text that has a scheme and an authority.
  private static func authority(in bytes: [UInt8]) -> AuthorityRanges? {
    let ranges = URIRanges(bytes.span)
    guard ranges.scheme != nil, let authority = ranges.authority else { return nil }
    return AuthorityRanges(bytes.span, in: authority)
  }

  /// Whether a host is an address between brackets.
  private static func isLiteral(_ host: ArraySlice<UInt8>) -> Bool {
    guard host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 else { return false }
    let literal = String(decoding: host.dropFirst().dropLast(), as: UTF8.self)
    return literal.utf8.contains(UInt8(ascii: ":")) && AddressText.isBare(literal)
  }

  private static func isAllowed(_ byte: UInt8, at index: Int, in bytes: [UInt8], host: Range<Int>?) -> Bool {
    switch byte {
    case UInt8(ascii: "%"):
      return index + 2 < bytes.count && ByteSet.hexadecimal.contains(bytes[index + 1])
        && ByteSet.hexadecimal.contains(bytes[index + 2])
    case UInt8(ascii: "@"):
      // The last `@` before the host ends the userinfo; the earlier ones belong to the userinfo.
      guard let host else { return true }
      return index >= host.lowerBound - 1
    case UInt8(ascii: "["), UInt8(ascii: "]"):
      // Only around a host that is an address.
      guard let host, isLiteral(bytes[host]) else { return false }
      return index == host.lowerBound || index == host.upperBound - 1
    case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"), UInt8(ascii: "`"),
      UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
      return false
    case 0x21...0x7E:
      return true
    default:
      return false
    }
  }
}

/// Numeric IP addresses as text.
enum AddressText {
  /// Whether the text is an IPv4 or IPv6 address and nothing else: no port, no brackets, no zone.
  static func isBare(_ text: some StringProtocol) -> Bool {
    IPAddress(text).map { $0.zone == nil } ?? false
  }

  /// The address in a text that contains more than an address, or `nil` if it contains no address.
  static func bare(in text: String) -> String? {
    // Java writes `host/address`.
    var rest = text[(text.lastIndex(of: "/").map(text.index(after:)) ?? text.startIndex)...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      rest = rest[rest.index(after: rest.startIndex)..<end]
    } else if rest.filter({ $0 == ":" }).count == 1, let colon = rest.firstIndex(of: ":") {
      rest = rest[..<colon]
    }
    if let zone = rest.firstIndex(of: "%") { rest = rest[..<zone] }
    return isBare(rest) ? String(rest) : nil
  }
}
