/// A host, and perhaps a port, as people write them: `example.com`, `10.0.0.1:3128`, `[::1]:3128`, `::1`.
package struct HostAndPort: Sendable, Hashable {
  /// As written, without brackets.
  package let host: String
  package let port: UInt16?

  /// `nil` when the text contains anything else: a scheme, a name and a password, a path, an empty port.
  ///
  /// - Parameter allowsPortZero: whether 0, with which the system chooses, is a port.
  package init?(_ text: some StringProtocol, allowsPortZero: Bool = false) {
    if let address = IPAddress(text), address.isIPv6 {
      host = String(text)
      port = nil
      return
    }
    let bytes = Array(text.utf8)
    let ranges = AuthorityRanges(bytes.span, in: bytes.indices)
    let host = String(decoding: bytes[ranges.host], as: UTF8.self)
    guard ranges.userinfo == nil, let bare = Self.bare(host) else { return nil }
    self.host = bare
    guard let digits = ranges.port else {
      port = nil
      return
    }
    guard let port = Authority.port(String(decoding: bytes[digits], as: UTF8.self)), port > 0 || allowsPortZero else {
      return nil
    }
    self.port = port
  }

  /// The host without brackets: an IPv6 address must have them, other hosts must not.
  private static func bare(_ host: String) -> String? {
    if host.hasPrefix("[") {
      let literal = host.dropFirst().dropLast()
      return host.hasSuffix("]") && IPAddress(literal)?.isIPv6 == true ? String(literal) : nil
    }
    return !host.isEmpty && host.utf8.allSatisfy(isAllowedInHost) ? host : nil
  }

  private static func isAllowedInHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default:
      false
    }
  }
}
