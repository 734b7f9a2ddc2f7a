package import TapelineLoop

/// A block of addresses by their common first bits (RFC 4632 3.1). IPv4 addresses mapped into IPv6 count as IPv4.
package struct AddressBlock: Hashable, Sendable {
  private let family: SocketAddress.Family
  private let bytes: [UInt8]
  private let prefixLength: Int

  /// The block of one address.
  package init(_ address: SocketAddress) {
    let (family, bytes) = Self.parts(of: address)
    self.family = family
    self.bytes = bytes
    prefixLength = bytes.count * 8
  }

  /// `nil` when an address of the family has fewer bits.
  package init?(_ address: SocketAddress, prefixLength: Int) {
    let (family, bytes) = Self.parts(of: address)
    guard (0...bytes.count * 8).contains(prefixLength) else { return nil }
    self.family = family
    self.prefixLength = prefixLength
    self.bytes = bytes.enumerated().map { index, byte in
      let kept = min(8, max(0, prefixLength - index * 8))
      return byte & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
    }
  }

  /// Whether every address of `other` is one of this block's.
  package func contains(_ other: AddressBlock) -> Bool {
    guard family == other.family, prefixLength <= other.prefixLength else { return false }
    let whole = prefixLength / 8
    guard bytes.prefix(whole).elementsEqual(other.bytes.prefix(whole)) else { return false }
    let bits = prefixLength % 8
    return bits == 0 || bytes[whole] ^ other.bytes[whole] < 1 << (8 - bits)
  }

  private static func parts(of address: SocketAddress) -> (SocketAddress.Family, [UInt8]) {
    let bytes = address.networkBytes
    let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    return bytes.starts(with: mapped) ? (.ipv4, Array(bytes.dropFirst(mapped.count))) : (address.family, bytes)
  }
}
