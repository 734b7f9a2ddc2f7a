package import TapelineLoop

/// A block of addresses by their common first bits (RFC 4632 3.1). IPv4 addresses mapped into IPv6 count as IPv4.
package struct AddressBlock: Hashable, Sendable {
  private let family: SocketAddress.Family
  private let octets: [UInt8]
  private let prefixLength: Int

  /// The block of one address.
  package init(_ address: SocketAddress) {
    let (family, octets) = Self.parts(of: address)
    self.family = family
    self.octets = octets
    prefixLength = octets.count * 8
  }

  /// `nil` when an address of the family has fewer bits.
  package init?(_ address: SocketAddress, prefixLength: Int) {
    let (family, octets) = Self.parts(of: address)
    guard (0...octets.count * 8).contains(prefixLength) else { return nil }
    self.family = family
    self.prefixLength = prefixLength
    self.octets = octets.enumerated().map { index, octet in
      let kept = min(8, max(0, prefixLength - index * 8))
      return octet & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
  }

  /// Whether every address of `other` is one of this block's.
  package func contains(_ other: AddressBlock) -> Bool {
    guard family == other.family, prefixLength <= other.prefixLength else { return false }
    let whole = prefixLength / 8
    guard octets.prefix(whole).elementsEqual(other.octets.prefix(whole)) else { return false }
    let bits = prefixLength % 8
    return bits == 0 || octets[whole] ^ other.octets[whole] < 1 << (8 - bits)
  }

  private static func parts(of address: SocketAddress) -> (SocketAddress.Family, [UInt8]) {
    let octets = address.networkOctets
    let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return octets.starts(with: mapped) ? (.ipv4, Array(octets.dropFirst(mapped.count))) : (address.family, octets)
  }
}
