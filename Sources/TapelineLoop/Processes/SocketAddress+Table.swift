internal import CTapeline
internal import TapelineText

extension SocketAddress {
  /// Reads `0100007F:1F90`, the format of the kernel's tables: words in memory order, and the port as a number.
  init?(table text: ArraySlice<UInt8>, family: Family) {
    let parts = text.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    let wordCount = family == .ipv4 ? 1 : 4
    guard parts.count == 2, parts[0].count == wordCount * 8, let port = Self.number(UInt16.self, parts[1]) else { return nil }
    var words: [UInt32] = []
    for index in 0..<wordCount {
      let start = parts[0].startIndex + index * 8
      guard let word = Self.number(UInt32.self, parts[0][start..<start + 8]) else { return nil }
      words.append(UInt32(bigEndian: word))
    }
    var address = tapeline_address()
    address.is_ipv6 = family == .ipv6
    address.port = port
    switch family {
    case .ipv4: address.bytes = (Self.half(words[0], 0), 0)
    case .ipv6: address.bytes = (Self.half(words[0], words[1]), Self.half(words[2], words[3]))
    }
    self.init(address)
  }

  private static func number<Number: FixedWidthInteger>(_ type: Number.Type, _ digits: ArraySlice<UInt8>) -> Number? {
    Number(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  /// Two words, as read from the table, in memory order.
  private static func half(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(bigEndian: UInt64(first) << 32 | UInt64(second))
  }

  /// The IPv4 address for an IPv4-mapped IPv6 address (RFC 4291 2.5.5.2); any other address unchanged.
  var unmapped: SocketAddress {
    family == .ipv6 && !isUnspecified && reached.family == .ipv4 ? reached.with(port: port) : self
  }

  /// The address in the format of a table of `family`. An IPv4 address in an IPv6 table is a mapped one.
  func tableText(_ family: Family) -> String {
    var bytes = ip.bytes
    if family == .ipv6, bytes.count == 4 { bytes = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes }
    var text = ""
    for index in stride(from: 0, to: bytes.count, by: 4) {
      let word = bytes[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      text += Self.digits(UInt64(UInt32(bigEndian: word)), count: 8)
    }
    return text + ":" + Self.digits(UInt64(port), count: 4)
  }

  private static func digits(_ value: UInt64, count: Int) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
