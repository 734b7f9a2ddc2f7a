internal import TapelineBase

/// Host and port of a target or of a Host field (RFC 3986 3.2), as ranges into the bytes that were parsed.
package struct AuthorityParts {
  /// Without brackets.
  package let host: Range<Int>
  /// `nil` where no port, or an empty one, is written.
  let port: UInt16?
  /// Host and port without userinfo and without the colon of an empty port.
  let hostAndPort: Range<Int>
  package let hasUserinfo: Bool

  /// `nil` if the bytes of `range` are not an authority. The grammar allows an empty host: a caller that needs a host checks.
  package init?(in bytes: Span<UInt8>, _ range: Range<Int>) {
    // The common form first, in one pass: a name, and perhaps a port.
    var end = range.lowerBound
    while end < range.upperBound, ByteSet.registeredName.contains(bytes[end]) { end += 1 }
    let isPlain = end == range.upperBound
    let plainPort = isPlain || bytes[end] != Byte.colon ? nil : Self.port(in: bytes, end + 1..<range.upperBound)
    if isPlain || plainPort != nil {
      host = range.lowerBound..<end
      port = plainPort
      hostAndPort = range
      hasUserinfo = false
      return
    }

    var start = range.lowerBound
    if let at = range.last(where: { bytes[$0] == UInt8(ascii: "@") }) {
      guard Self.isText(of: .userinfo, in: bytes, start..<at) else { return nil }
      start = at + 1
      hasUserinfo = true
    } else {
      hasUserinfo = false
    }

    let afterHost: Int
    if start < range.upperBound, bytes[start] == UInt8(ascii: "[") {
      guard let close = (start..<range.upperBound).first(where: { bytes[$0] == UInt8(ascii: "]") }) else { return nil }
      host = start + 1..<close
      afterHost = close + 1
      guard Self.isAddressLiteral(in: bytes, host) else { return nil }
    } else {
      afterHost = (start..<range.upperBound).first { bytes[$0] == Byte.colon } ?? range.upperBound
      host = start..<afterHost
      guard Self.isName(in: bytes, host) else { return nil }
    }

    guard afterHost < range.upperBound else {
      port = nil
      hostAndPort = start..<afterHost
      return
    }
    guard bytes[afterHost] == Byte.colon else { return nil }
    let digits = afterHost + 1..<range.upperBound
    guard !digits.isEmpty else {
      port = nil
      hostAndPort = start..<afterHost
      return
    }
    guard let number = Self.port(in: bytes, digits) else { return nil }
    port = number
    hostAndPort = start..<range.upperBound
  }

  /// A name. Clients without IDNA leave the resolver to make what it can of a name in UTF-8.
  private static func isName(in bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    if isText(of: .registeredName, in: bytes, range) { return true }
    let ascii = range.map { bytes[$0] < 0x80 ? bytes[$0] : UInt8(ascii: "x") }
    guard isText(of: .registeredName, in: ascii.span, 0..<ascii.count) else { return false }
    let name = range.map { bytes[$0] }
    return Array(String(decoding: name, as: UTF8.self).utf8) == name
  }

  /// Bytes of `set` and percent-encoded bytes.
  private static func isText(of set: ByteSet, in bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    while index < range.upperBound {
      if bytes[index] == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, ByteSet.hexadecimal.contains(bytes[index + 1]),
          ByteSet.hexadecimal.contains(bytes[index + 2])
        else { return false }
        index += 3
      } else {
        guard set.contains(bytes[index]) else { return false }
        index += 1
      }
    }
    return true
  }

  /// An IPv6address by its bytes; the resolver finds out whether it is an address. Zones and future versions are refused.
  private static func isAddressLiteral(in bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    range.allSatisfy { ByteSet.addressLiteral.contains(bytes[$0]) } && range.count { bytes[$0] == Byte.colon } >= 2
  }

  /// 1 to 65535, in at most five digits.
  private static func port(in bytes: Span<UInt8>, _ digits: Range<Int>) -> UInt16? {
    guard (1...5).contains(digits.count) else { return nil }
    var number = 0
    for index in digits {
      guard Byte.isDigit(bytes[index]) else { return nil }
      number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
    }
    return number == 0 ? nil : UInt16(exactly: number)
  }
}
