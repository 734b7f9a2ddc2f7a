/// An IPv4 or IPv6 address, perhaps with its zone (RFC 4007 11).
package struct IPAddress: Sendable, Hashable {
  /// In network order: four bytes, or sixteen.
  package let bytes: [UInt8]
  /// The text after the percent sign: an interface of some machine.
  package let zone: String?

  package var isIPv6: Bool { bytes.count == 16 }

  /// - Parameter bytes: four, or sixteen.
  package init(bytes: [UInt8]) {
    precondition(bytes.count == 4 || bytes.count == 16, "an address has 4 bytes or 16")
    self.bytes = bytes
    zone = nil
  }

  /// Reads `127.0.0.1`, `::1`, `fe80::1%eth0`; `nil` for anything else, including names, brackets and ports.
  ///
  /// IPv4 is dotted decimal without leading zeros, which some programs read as octal (RFC 3986 3.2.2); IPv6 is RFC 4291 2.2.
  package init?(_ text: some StringProtocol) {
    let text = Array(text.utf8)
    guard let percent = text.firstIndex(of: UInt8(ascii: "%")) else {
      guard let bytes = Self.ipv4(text[...]) ?? Self.ipv6(text[...]) else { return nil }
      self.bytes = bytes
      zone = nil
      return
    }
    guard let bytes = Self.ipv6(text[..<percent]), percent + 1 < text.count else { return nil }
    self.bytes = bytes
    zone = String(decoding: text[(percent + 1)...], as: UTF8.self)
  }

  private static func ipv4(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    // Most texts are names.
    guard let first = text.first, Byte.isDigit(first) else { return nil }
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...3).contains(part.count), part.allSatisfy(Byte.isDigit), part.count == 1 || part.first != UInt8(ascii: "0"),
        let byte = UInt8(exactly: part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
      else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  private static func ipv6(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    guard text.count <= 45, text.contains(UInt8(ascii: ":")) else { return nil }
    let gap = text.indices.dropLast().first { text[$0] == UInt8(ascii: ":") && text[$0 + 1] == UInt8(ascii: ":") }
    guard let gap else { return groups(text, mayEndInIPv4: true).flatMap { $0.count == 16 ? $0 : nil } }
    guard let before = groups(text[..<gap], mayEndInIPv4: false), let after = groups(text[(gap + 2)...], mayEndInIPv4: true),
      before.count + after.count <= 14
    else { return nil }
    return before + [UInt8](repeating: 0, count: 16 - before.count - after.count) + after
  }

  /// The bytes of the groups in a text without a gap.
  private static func groups(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> [UInt8]? {
    guard !text.isEmpty else { return [] }
    var parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var tail: [UInt8] = []
    if mayEndInIPv4, let last = parts.last, last.contains(UInt8(ascii: ".")) {
      guard let bytes = ipv4(last) else { return nil }
      tail = bytes
      parts.removeLast()
    }
    var bytes: [UInt8] = []
    for part in parts {
      guard (1...4).contains(part.count) else { return nil }
      var group = 0
      for byte in part {
        guard let digit = hexadecimalValue(byte) else { return nil }
        group = group << 4 | digit
      }
      bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
    }
    return bytes + tail
  }

  private static func hexadecimalValue(_ byte: UInt8) -> Int? {
    Hexadecimal.value(of: byte).map { Int($0) }
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text of an address, as the system writes it (RFC 5952, RFC 4007 11.2): lower case, longest zero run left out.
  package var description: String {
    guard isIPv6 else { return Self.dotted(bytes[...]) }
    let groups = (0..<8).map { (group: Int) -> Int in Int(bytes[2 * group]) << 8 | Int(bytes[2 * group + 1]) }
    let gap = Self.longestZeros(in: groups)
    var text: String
    if gap == 0..<6 || gap == 0..<5 && groups[5] == 0xFFFF {
      text = "::\(gap.count == 5 ? "ffff:" : "")\(Self.dotted(bytes[12...]))"
    } else {
      let spelled = groups.map { String($0, radix: 16) }
      text = spelled[..<gap.lowerBound].joined(separator: ":")
      if !gap.isEmpty { text += "::" + spelled[gap.upperBound...].joined(separator: ":") }
    }
    if let zone { text += "%\(zone)" }
    return text
  }

  private static func dotted(_ bytes: ArraySlice<UInt8>) -> String {
    dotted(bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The text of an IPv4 address, whose first number is the upper byte of `word`.
  package static func dotted(_ word: UInt32) -> String {
    // Dots, of which digits replace most.
    var text = InlineArray<15, UInt8>(repeating: UInt8(ascii: "."))
    var end = 0
    func append(digit: UInt8) {
      text[end] = UInt8(ascii: "0") + digit
      end += 1
    }
    for shift in stride(from: 24, through: 0, by: -8) {
      let number = UInt8(truncatingIfNeeded: word >> shift)
      if number >= 100 { append(digit: number / 100) }
      if number >= 10 { append(digit: number / 10 % 10) }
      append(digit: number % 10)
      if shift > 0 { end += 1 }
    }
    do {
      return String(copying: try UTF8Span(validating: text.span.extracting(..<end)))
    } catch {
      preconditionFailure("digits and dots are UTF-8")
    }
  }

  /// The first of the longest runs of at least two zeros; empty, at the end, if no such run exists.
  private static func longestZeros(in groups: [Int]) -> Range<Int> {
    var longest = groups.count..<groups.count
    var start = 0
    for index in 0...groups.count where index == groups.count || groups[index] != 0 {
      if index - start >= max(2, longest.count + 1) { longest = start..<index }
      start = index + 1
    }
    return longest
  }
}

/// A block of addresses by their common first bits (RFC 4632 3.1). IPv4 addresses mapped into IPv6 count as IPv4.
package struct AddressBlock: Hashable, Sendable {
  private let bytes: [UInt8]
  private let prefixLength: Int

  /// The block of one address; a zone does not count.
  package init(_ address: IPAddress) {
    bytes = Self.bytes(of: address)
    prefixLength = bytes.count * 8
  }

  /// `nil` if `prefixLength` is negative or exceeds the bits of the address.
  package init?(_ address: IPAddress, prefixLength: Int) {
    let bytes = Self.bytes(of: address)
    guard (0...bytes.count * 8).contains(prefixLength) else { return nil }
    self.prefixLength = prefixLength
    self.bytes = bytes.enumerated().map { index, byte in
      let kept = min(8, max(0, prefixLength - index * 8))
      return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
  }

  /// Reads `10.0.0.0/8` or `[fd00::]/8`, with or without the brackets; `nil` for anything else.
  package init?(text: some StringProtocol) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let digits = text[text.index(after: slash)...]
    guard digits.utf8.allSatisfy(Byte.isDigit), let length = Int(digits),
      case .address(let address) = Host(text[..<slash])
    else { return nil }
    self.init(address, prefixLength: length)
  }

  /// Whether every address of `other` belongs to this block.
  package func contains(_ other: AddressBlock) -> Bool {
    guard bytes.count == other.bytes.count, prefixLength <= other.prefixLength else { return false }
    let whole = prefixLength / 8
    guard bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
    let bits = prefixLength % 8
    return bits == 0 || bytes[whole] ^ other.bytes[whole] < 1 << (8 - bits)
  }

  package func contains(_ address: IPAddress) -> Bool {
    contains(AddressBlock(address))
  }

  /// The IPv4 address for an address in ::ffff:0:0/96 (RFC 4291 2.5.5.2).
  private static func bytes(of address: IPAddress) -> [UInt8] {
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return address.isIPv6 && address.bytes.starts(with: mapped) ? Array(address.bytes.dropFirst(mapped.count)) : address.bytes
  }
}
