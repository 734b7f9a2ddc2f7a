internal import TapelineLoop
internal import TapelineBase

/// Destinations that only this machine, or it and its neighbours on the wire, can reach: clients on other machines may not
/// go there (CWE-918), and no other user's, for whom these destinations would see our user.
enum ProtectedDestination: String, Sendable, Hashable {
  case thisMachine = "the machine that the proxy runs on"
  case linkLocal = "a link-local address"
  case cloudMetadata = "the address of a cloud's metadata"

  /// - Parameter isOfThisMachine: whether an address is one of the machine's own.
  init?(_ address: SocketAddress, isOfThisMachine: (SocketAddress) -> Bool = { $0.isOfThisMachine }) {
    for address in [address] + Self.embeddedIPv4(in: address) {
      let ip = address.reached.ip
      if Self.cloudBlocks.contains(where: { $0.contains(ip) }) {
        self = .cloudMetadata
      } else if Self.linkLocalBlocks.contains(where: { $0.contains(ip) }) {
        self = .linkLocal
      } else if address.reached.isLoopback || Self.thisNetwork.contains(ip) || isOfThisMachine(address) {
        self = .thisMachine
      } else {
        continue
      }
      return
    }
    return nil
  }

  /// Names that mean such a destination wherever they are looked up, for example by an upstream proxy, whose answer we do not
  /// see.
  init?(name: String) {
    let host = Host(name)
    if host.isLocalhost {
      self = .thisMachine
    } else if Self.cloudNames.contains(host) {
      self = .cloudMetadata
    } else {
      return nil
    }
  }

  /// Google's; the others have addresses only.
  private static let cloudNames: Set<Host> = [.name("metadata.google.internal"), .name("metadata.goog")]

  /// The metadata services of AWS, Azure, Google, Oracle, DigitalOcean, OpenStack and others, and those of AWS' containers, are
  /// 169.254.0.0/16 (RFC 3927).
  private static let linkLocalBlocks = blocks(["169.254.0.0/16", "fe80::/10"])
  /// The others: AWS' local services by IPv6, Google's and Oracle's by IPv6, Alibaba's, Azure's host, Oracle's first generation.
  private static let cloudBlocks = blocks([
    "169.254.169.254/32", "169.254.170.2/32", "fd00:ec2::/32", "fd20:ce::254/128", "fd00:c1::a9fe:a9fe/128", "100.100.100.200/32",
    "168.63.129.16/32", "192.0.0.192/32",
  ])
  /// RFC 1122 3.2.1.3: not an address of another machine.
  private static let thisNetwork = block("0.0.0.0/8")

  /// Where a translator on the way may find an IPv4 address: the places of its four bytes, and the value that inverts them.
  private struct Translation {
    let prefix: AddressBlock
    let places: [[Int]]
    var inversion: UInt8 = 0
  }

  /// RFC 6052 2.1, RFC 3056 2, RFC 4291 2.5.5.1, RFC 2765 2.1 (SIIT), RFC 4380 4 (Teredo: its server, and the client's address
  /// inverted). Nobody outside knows the length of a prefix for local use (RFC 8215), so we try each length of RFC 6052 2.2.
  private static let translations = [
    Translation(prefix: block("64:ff9b::/96"), places: [[12, 13, 14, 15]]),
    Translation(prefix: block("64:ff9b:1::/48"), places: [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]]),
    Translation(prefix: block("2002::/16"), places: [[2, 3, 4, 5]]),
    Translation(prefix: block("::/96"), places: [[12, 13, 14, 15]]),
    Translation(prefix: block("::ffff:0:0:0/96"), places: [[12, 13, 14, 15]]),
    Translation(prefix: block("2001::/32"), places: [[4, 5, 6, 7]]),
    Translation(prefix: block("2001::/32"), places: [[12, 13, 14, 15]], inversion: 0xFF),
  ]

  private static func embeddedIPv4(in address: SocketAddress) -> [SocketAddress] {
    let ip = address.ip
    guard ip.isIPv6 else { return [] }
    let bytes = ip.bytes
    return translations.filter { $0.prefix.contains(ip) }.flatMap { translation in
      translation.places.compactMap { places in
        // Where the place is a guess, a first byte of 0 means the zeros around an address at another place.
        guard translation.places.count == 1 || bytes[places[0]] != 0 else { return nil }
        let literal = places.map { "\(bytes[$0] ^ translation.inversion)" }.joined(separator: ".")
        return SocketAddress(literal: literal, port: address.port)
      }
    }
  }

  private static func blocks(_ texts: [String]) -> [AddressBlock] {
    texts.map(block)
  }

  private static func block(_ text: String) -> AddressBlock {
    guard let block = AddressBlock(text: text) else { preconditionFailure("\(text) is a block of addresses") }
    return block
  }
}
