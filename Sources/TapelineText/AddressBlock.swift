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
    guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let length = Int(digits),
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
