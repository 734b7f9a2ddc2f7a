internal import TapelineLoop
internal import TapelineBase

/// Makes every destination lead to the loopback interface of a new network (rtnetlink(7)).
enum NamespaceRoutes {
  /// The loopback interface is the first in every network.
  private static let loopback: UInt32 = 1

  private enum Message {
    static let changeLink: UInt16 = 16
    static let newAddress: UInt16 = 20
    static let newRoute: UInt16 = 24
  }

  /// Brings the interface up, gives it `sources`, and makes all addresses of their families its own. A program sees a source as
  /// its machine's address.
  ///
  /// - Parameter packetSize: the largest packet (MTU); `nil`: loopback's usual 64 KiB.
  static func messages(sources: [SocketAddress], packetSize: UInt32? = nil) -> [NetlinkMessage] {
    [up(packetSize)] + sources.flatMap { [address($0), route(from: $0)] }
  }

  private static func up(_ packetSize: UInt32?) -> NetlinkMessage {
    let isUp = NetlinkMessage.native(UInt32(1))
    let kind: [UInt8] = [0, 0, 0, 0]
    return NetlinkMessage(
      type: Message.changeLink, flags: NetlinkMessage.acknowledged,
      fixed: kind + NetlinkMessage.native(loopback) + isUp + isUp,
      packetSize.map { [NetlinkAttribute(4, NetlinkMessage.native($0))] } ?? [])
  }

  private static func address(_ address: SocketAddress) -> NetlinkMessage {
    let bytes = address.ip.bytes
    // Nobody else has an IPv6 address here: it is not asked for (IFA_F_NODAD).
    let flags: UInt8 = address.family == .ipv6 ? 2 : 0
    return NetlinkMessage(
      type: Message.newAddress, flags: NetlinkMessage.acknowledged | NetlinkMessage.create | NetlinkMessage.exclusive,
      fixed: [address.family.number, UInt8(bytes.count * 8), flags, 0] + NetlinkMessage.native(loopback),
      [NetlinkAttribute(2, bytes), NetlinkAttribute(1, bytes)])
  }

  /// `local 0.0.0.0/0 dev lo src SOURCE` in the main table, after the table of the machine's own addresses.
  private static func route(from source: SocketAddress) -> NetlinkMessage {
    let (mainTable, byAdministrator, local): (UInt8, UInt8, UInt8) = (254, 4, 2)
    let scope: UInt8 = source.family == .ipv4 ? 254 : 0
    return NetlinkMessage(
      type: Message.newRoute, flags: NetlinkMessage.acknowledged | NetlinkMessage.create | NetlinkMessage.exclusive,
      fixed: [source.family.number, 0, 0, 0, mainTable, byAdministrator, scope, local, 0, 0, 0, 0],
      [NetlinkAttribute(4, NetlinkMessage.native(loopback)), NetlinkAttribute(7, source.ip.bytes)])
  }
}

extension SocketAddress.Family {
  /// AF_INET, AF_INET6.
  var number: UInt8 {
    switch self {
    case .ipv4: 2
    case .ipv6: 10
    }
  }
}
