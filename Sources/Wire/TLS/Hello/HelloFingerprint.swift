internal import TapelineBase

/// A digest of the parts of a ClientHello that stay the same for one program, similar to JA3 and JA4. It usually tells programs
/// apart.
///
/// It covers the versions, cipher suites, extensions, groups and application protocols that are offered, each as a set: some
/// clients change the order each time. It leaves out everything that differs between two hellos of one program: the values that
/// mean nothing (RFC 8701), the name, and everything that depends on an earlier session, a retry or padding. It is neither a
/// secret nor a proof: a client can send the same hello as another.
package struct HelloFingerprint: Sendable, Hashable, CustomStringConvertible {
  private var sum: UInt64 = 0

  /// The fingerprint of an empty hello.
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
  /// Says that this is a repeated attempt (RFC 7507).
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

  mutating func add(_ name: ApplicationProtocol) {
    sum &+= Self.mixed(Self.digest(of: name), .applicationProtocol)
  }

  /// The fingerprint of a hello that offers everything but `name`.
  func without(_ name: ApplicationProtocol) -> HelloFingerprint {
    var other = self
    other.sum &-= Self.mixed(Self.digest(of: name), .applicationProtocol)
    return other
  }

  /// FNV-1a.
  private static func digest(of name: ApplicationProtocol) -> UInt64 {
    name.name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  /// A sum does not depend on the order.
  private mutating func add(_ value: UInt64, _ part: Part) {
    sum &+= Self.mixed(value, part)
  }

  /// The mixing is that of SplitMix64.
  private static func mixed(_ value: UInt64, _ part: Part) -> UInt64 {
    var mixed = value &+ part.rawValue &* 0x9e37_79b9_7f4a_7c15
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Sixteen digits.
  package var description: String {
    Hexadecimal.text(of: sum, digits: 16)
  }
}
