internal import TapelineText

/// What of a ClientHello stays the same for one program, in the manner of JA3 and JA4: a digest that tells programs apart, mostly.
///
/// It takes in the versions, cipher suites, extensions, groups and application protocols that are offered, each as a set: some clients put
/// theirs in a new order each time. It leaves out what differs between two hellos of one program: the values that mean nothing (RFC 8701),
/// the name, and all that comes of an earlier session, of a retry or of padding. It is no secret, and no proof: a client can say the same hello as
/// another.
package struct HelloFingerprint: Sendable, Hashable, CustomStringConvertible {
  private var sum: UInt64 = 0

  /// Of nothing.
  package init() {}

  enum Part: UInt64, Sendable {
    case version = 1
    case cipherSuite
    case supportedExtension
    case group
    case applicationProtocol
  }

  /// Server name, ticket, padding, pre-shared key, early data, cookie (RFC 6066 3, 5077 3.2, 7685, 8446 4.2).
  private static let passingExtensions: Set<UInt16> = [0, 21, 35, 41, 42, 44]
  /// Says that this is another attempt (RFC 7507).
  private static let fallbackSignal: UInt16 = 0x5600

  mutating func add(_ value: UInt16, _ part: Part) {
    guard !isGREASE(value) else { return }
    switch part {
    case .supportedExtension where Self.passingExtensions.contains(value): return
    case .cipherSuite where value == Self.fallbackSignal: return
    case .version, .cipherSuite, .supportedExtension, .group, .applicationProtocol: break
    }
    add(UInt64(value), part)
  }

  /// FNV-1a.
  mutating func add(_ name: ApplicationProtocol) {
    add(name.name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, .applicationProtocol)
  }

  /// A sum has no order. The mixing is that of SplitMix64.
  private mutating func add(_ value: UInt64, _ part: Part) {
    var mixed = value &+ part.rawValue &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    sum &+= mixed ^ (mixed >> 31)
  }

  /// Sixteen digits.
  package var description: String {
    Hexadecimal.text(of: sum, digits: 16)
  }
}
