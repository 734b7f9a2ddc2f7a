/// Absolute URIs as HAR wants them (RFC 3986, section 4.3): no fragment, and no byte that may not stand in one.
enum URIText {
  /// The text before the fragment.
  static func withoutFragment(_ text: String) -> String {
    String(text.prefix { $0 != "#" })
  }

  /// The text with every byte percent-encoded that may not stand where it does.
  static func encoded(_ text: String) -> String {
    var output: [UInt8] = []
    let input = Array(text.utf8)
    let host = hostRange(in: input)
    for (index, byte) in input.enumerated() {
      if isAllowed(byte, at: index, in: input, host: host) {
        output.append(byte)
      } else {
        output += [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 0xF)]
      }
    }
    return String(decoding: output, as: UTF8.self)
  }

  /// Whether the text begins with a scheme and a colon.
  static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), let first = text.utf8.first, isLetter(first) else {
      return false
    }
    return text.utf8[..<colon].allSatisfy { byte in
      isLetter(byte) || JSONBytes.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: ".")
    }
  }

  /// Whether there is a host: `data:` and `blob:` have none.
  static func hasHost(_ text: String) -> Bool {
    hostRange(in: Array(text.utf8)).map { !$0.isEmpty } ?? false
  }

  /// Whether the port, if any, is a number.
  static func hasValidPort(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let host = hostRange(in: bytes), host.upperBound < bytes.count, bytes[host.upperBound] == UInt8(ascii: ":") else {
      return true
    }
    let port = bytes[(host.upperBound + 1)...].prefix { !isAuthorityEnd($0) }
    return port.allSatisfy(JSONBytes.isDigit)
  }

  /// Where the host stands, brackets included, in a text with an authority.
  private static func hostRange(in bytes: [UInt8]) -> Range<Int>? {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let slashes = bytes[(colon + 1)...].prefix(2)
    guard slashes.elementsEqual("//".utf8) else { return nil }
    let end = bytes[(colon + 3)...].firstIndex(where: isAuthorityEnd) ?? bytes.count
    let start = bytes[(colon + 3)..<end].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? colon + 3
    if start < end, bytes[start] == UInt8(ascii: "["), let close = bytes[start..<end].firstIndex(of: UInt8(ascii: "]")),
      isLiteral(bytes[start...close])
    {
      return start..<close + 1
    }
    return start..<(bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) ?? end)
  }

  /// Whether a host is an address between brackets.
  private static func isLiteral(_ host: ArraySlice<UInt8>) -> Bool {
    host.first == UInt8(ascii: "[") && host.last == UInt8(ascii: "]")
      && AddressText.isIPv6(String(decoding: host.dropFirst().dropLast(), as: UTF8.self)[...])
  }

  private static func isAuthorityEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isAllowed(_ byte: UInt8, at index: Int, in bytes: [UInt8], host: Range<Int>?) -> Bool {
    switch byte {
    case UInt8(ascii: "%"):
      return index + 2 < bytes.count && AddressText.isHexDigit(bytes[index + 1]) && AddressText.isHexDigit(bytes[index + 2])
    case UInt8(ascii: "@"):
      // Before the host, one ends the user's name; any other belongs to it.
      guard let host else { return true }
      return index >= host.lowerBound - 1
    case UInt8(ascii: "["), UInt8(ascii: "]"):
      // Only around an address that is the host.
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

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
