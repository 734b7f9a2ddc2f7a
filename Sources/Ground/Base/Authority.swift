/// The ranges of an authority's parts: `userinfo@host:port` (RFC 3986 3.2). Every text can be split; `Authority` checks validity.
package struct AuthorityRanges: Sendable, Hashable {
  /// The part before the last `@`.
  package let userinfo: Range<Int>?
  /// With its brackets.
  package let host: Range<Int>
  /// The part after the colon; empty for an empty port, and `nil` without a colon.
  package let port: Range<Int>?

  /// - Parameter range: of the authority in `bytes`, without the slashes before it.
  package init(_ bytes: Span<UInt8>, in range: Range<Int>) {
    var start = range.lowerBound
    if let at = range.last(where: { bytes[$0] == UInt8(ascii: "@") }) {
      userinfo = start..<at
      start = at + 1
    } else {
      userinfo = nil
    }
    var colonsFrom = start
    // The colons of an address between brackets belong to it.
    if start < range.upperBound, bytes[start] == UInt8(ascii: "["),
      let close = (start..<range.upperBound).first(where: { bytes[$0] == UInt8(ascii: "]") })
    {
      colonsFrom = close + 1
    }
    let colon = (colonsFrom..<range.upperBound).first { bytes[$0] == UInt8(ascii: ":") }
    host = start..<(colon ?? range.upperBound)
    port = colon.map { $0 + 1..<range.upperBound }
  }

  /// Host and port, with the colon between them.
  package var hostAndPort: Range<Int> { host.lowerBound..<(port?.upperBound ?? host.upperBound) }
}

/// The host and port that a URL, a `Host` field or a CONNECT names (RFC 3986 3.2, RFC 9110 4.2).
///
/// It is `nil` for a text that two readers could understand differently: the last `@` ends the userinfo, the first colon outside
/// brackets begins the port, and nothing is decoded. The codec's own parser reads the same, in one pass; a test compares the two.
package struct Authority: Sendable, Hashable {
  /// How much of what RFC 3986 forbids is allowed.
  package enum Leniency: Sendable {
    case none
    /// Also bytes that a URI must percent-encode, as other programs' logs have them, and the zone of an address.
    case unencodedBytes
  }

  /// As written, with escapes.
  package let userinfo: String?
  /// In lower case, and without the brackets of an IPv6 address; empty if no host is written, as in `file:///`.
  package let host: String
  /// `nil` if no port, or an empty one, is written.
  package let port: UInt16?

  /// - Parameter range: of the authority in `bytes`, without the slashes before it.
  package init?(_ bytes: Span<UInt8>, in range: Range<Int>, leniency: Leniency = .none) {
    let ranges = AuthorityRanges(bytes, in: range)
    if let userinfo = ranges.userinfo {
      guard Self.isText(bytes, userinfo, allowsColons: true, leniency) else { return nil }
      self.userinfo = Self.text(bytes, userinfo)
    } else {
      userinfo = nil
    }
    let host = ranges.host
    if let first = host.first, bytes[first] == UInt8(ascii: "[") {
      guard bytes[host.upperBound - 1] == UInt8(ascii: "]"), host.count > 2 else { return nil }
      let literal = Self.text(bytes, host.lowerBound + 1..<host.upperBound - 1)
      guard let address = IPAddress(literal), address.isIPv6, address.zone == nil || leniency == .unencodedBytes else {
        return nil
      }
      self.host = literal.withoutCapitals
    } else {
      guard Self.isText(bytes, host, allowsColons: false, leniency) else { return nil }
      self.host = Self.text(bytes, host).withoutCapitals
    }
    guard let digits = ranges.port, !digits.isEmpty else {
      port = nil
      return
    }
    guard let port = Self.port(bytes, digits) else { return nil }
    self.port = port
  }

  package init?(_ text: String, leniency: Leniency = .none) {
    let bytes = Array(text.utf8)
    self.init(bytes.span, in: bytes.indices, leniency: leniency)
  }

  /// 0 to 65535, in one to five digits.
  package static func port(_ text: some StringProtocol) -> UInt16? {
    let bytes = Array(text.utf8)
    return port(bytes.span, bytes.indices)
  }

  private static func port(_ bytes: Span<UInt8>, _ digits: Range<Int>) -> UInt16? {
    guard (1...5).contains(digits.count) else { return nil }
    var number = 0
    for index in digits {
      guard Byte.isDigit(bytes[index]) else { return nil }
      number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
    }
    return UInt16(exactly: number)
  }

  /// `host:port`, or the host alone; an IPv6 address gets its brackets.
  package static func text(host: String, port: UInt16?) -> String {
    let host = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
    return port.map { "\(host):\($0)" } ?? host
  }

  private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    do {
      return String(copying: try UTF8Span(validating: bytes.extracting(range)))
    } catch {
      return String(decoding: range.map { bytes[$0] }, as: UTF8.self)
    }
  }

  /// Whether `range` has only bytes of a registered name, including escapes, and the bytes that are also allowed.
  private static func isText(_ bytes: Span<UInt8>, _ range: Range<Int>, allowsColons: Bool, _ leniency: Leniency) -> Bool {
    var escaped = 0
    for index in range {
      let byte = bytes[index]
      switch leniency {
      case .none:
        if escaped > 0 {
          guard ByteSet.hexadecimal.contains(byte) else { return false }
          escaped -= 1
        } else if byte == UInt8(ascii: "%") {
          escaped = 2
        } else {
          guard ByteSet.registeredName.contains(byte) || allowsColons && byte == UInt8(ascii: ":") else { return false }
        }
      case .unencodedBytes:
        // A backslash is a slash to browsers, and a bracket must not be here.
        guard byte > 0x20, byte != 0x7F, !ByteSet.notInNames.contains(byte) else { return false }
      }
    }
    return escaped == 0
  }
}
