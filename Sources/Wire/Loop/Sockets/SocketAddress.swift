internal import CTapeline
package import TapelineSystem
package import TapelineBase

/// An internet socket address: IPv4 or IPv6, and a port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
  package enum Family: Hashable, Sendable {
    case ipv4
    case ipv6
  }

  package let family: Family
  package let port: UInt16
  /// The bytes of the address in memory order; IPv4 uses the first four.
  private let bytes: (UInt64, UInt64)
  /// The interface of a link-local IPv6 address, else 0.
  private let scope: UInt32

  /// Reads a literal: `127.0.0.1`, `::1`, `fe80::1%eth0`. `nil` for anything else, including names and brackets.
  package init?(literal: String, port: UInt16) {
    guard let address = SystemCalls.address(of: literal, port: port) else { return nil }
    self.init(address)
  }

  init(_ ip: IPAddress, port: UInt16) {
    let padded = ip.bytes + [UInt8](repeating: 0, count: 16 - ip.bytes.count)
    func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { UInt64(bigEndian: bytes.reduce(0) { $0 << 8 | UInt64($1) }) }
    family = ip.bytes.count == 4 ? .ipv4 : .ipv6
    bytes = (word(padded[..<8]), word(padded[8...]))
    scope = 0
    self.port = port
  }

  init(_ address: tapeline_address) {
    family = address.is_ipv6 ? .ipv6 : .ipv4
    port = address.port
    bytes = address.bytes
    scope = address.scope
  }

  /// In the form that the C functions expect.
  var fenced: tapeline_address {
    tapeline_address(bytes: bytes, scope: scope, port: port, is_ipv6: family == .ipv6)
  }

  /// The same address with another port.
  package func with(port: UInt16) -> SocketAddress {
    var address = fenced
    address.port = port
    return SocketAddress(address)
  }

  /// The text of the address alone, without brackets or port.
  package var host: String { SystemCalls.text(of: fenced) }

  /// `127.0.0.1:80`, `[::1]:80`.
  package var description: String {
    switch family {
    case .ipv4: "\(host):\(port)"
    case .ipv6: "[\(host)]:\(port)"
    }
  }

  /// 127.0.0.0/8, ::1, and 127.0.0.0/8 mapped into IPv6.
  package var isLoopback: Bool {
    switch family {
    case .ipv4: byte(0) == 127
    case .ipv6: self.bytes == Self.ipv6Loopback || (isMappedIPv4 && byte(12) == 127)
    }
  }

  /// 0.0.0.0 or ::, which mean every address of this machine.
  package var isUnspecified: Bool {
    bytes == (0, 0)
  }

  /// The address alone, without port and interface.
  package var ip: IPAddress {
    IPAddress(bytes: (0..<(family == .ipv4 ? 4 : 16)).map { byte($0) })
  }

  /// The address that a connection to this one reaches: the IPv4 address for a mapped one, loopback for an unspecified one.
  package var reached: SocketAddress {
    var address = fenced
    if isMappedIPv4 {
      address.is_ipv6 = false
      address.bytes = (bytes.1 >> 32, 0)
      return SocketAddress(address).reached
    }
    guard isUnspecified else { return self }
    switch family {
    case .ipv4: address.bytes = (UInt64(bigEndian: 127 << 56 | 1 << 32), 0)
    case .ipv6: address.bytes = Self.ipv6Loopback
    }
    return SocketAddress(address)
  }

  /// ::ffff:0:0/96 (RFC 4291 2.5.5.2).
  private var isMappedIPv4: Bool {
    bytes.0 == 0 && byte(8) == 0 && byte(9) == 0 && byte(10) == 0xFF && byte(11) == 0xFF
  }

  private static let ipv6Loopback: (UInt64, UInt64) = (0, UInt64(bigEndian: 1))

  private func byte(_ index: Int) -> UInt8 {
    let word = UInt64(bigEndian: index < 8 ? bytes.0 : bytes.1)
    return UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8)))
  }

  // Tuples are not Hashable, so these are written out.
  package static func == (left: SocketAddress, right: SocketAddress) -> Bool {
    left.family == right.family && left.port == right.port && left.bytes == right.bytes && left.scope == right.scope
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(family)
    hasher.combine(port)
    hasher.combine(bytes.0)
    hasher.combine(bytes.1)
    hasher.combine(scope)
  }
}

extension SocketAddress {
  /// Whether a connection to this address reaches this machine: loopback, or an address of one of its interfaces.
  ///
  /// The kernel is asked each time, since interfaces come and go: packets to an address of ours have that address as their
  /// source.
  package var isOfThisMachine: Bool {
    let target = reached
    if target.isLoopback { return true }
    return target.source?.with(port: target.port) == target
  }

  /// The address of this machine from which packets to this one leave; `nil` without a route. Nothing is sent.
  package var source: SocketAddress? {
    SystemCalls.source(towards: fenced).map(SocketAddress.init)
  }
}

// The calls with addresses, using our address type instead of the kernel's.
extension SystemCalls {
  /// Accepts a waiting connection; `nil` if there is no such connection.
  static func accept(_ listener: Int32) throws(SystemCallError) -> (descriptor: Int32, peer: SocketAddress)? {
    var peer = tapeline_address()
    guard let descriptor = try accept(listener, peer: &peer) else { return nil }
    return (descriptor, SocketAddress(peer))
  }

  /// Starts to connect a non-blocking socket. `.wouldBlock`: the attempt continues, and writability tells when it is decided.
  package static func connect(_ socket: Int32, to address: SocketAddress) throws(SystemCallError) -> IOResult {
    try connect(socket, to: address.fenced)
  }

  static func localAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    SocketAddress(try localName(of: socket))
  }

  static func peerAddress(of socket: Int32) throws(SystemCallError) -> SocketAddress {
    SocketAddress(try peerName(of: socket))
  }
}
