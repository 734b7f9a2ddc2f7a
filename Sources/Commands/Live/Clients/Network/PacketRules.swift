internal import TapelineLoop

/// The packet filter of a new network (nf_tables): TCP for every address and port goes to one listening socket of ours.
///
/// It is done by `tproxy`, not by translating addresses: the accepted socket's own address is the destination that the program
/// named, and no packet changes. Before that, the packet that opens a connection waits in a queue, where the kernel has queues.
/// Its mark then says what becomes of it.
enum PacketRules {
  /// How a rule names the queue: kernels have one way or the other.
  enum QueueExpression: CaseIterable {
    /// `queue`, of nf_tables (module nft_queue).
    case native
    /// The target NFQUEUE of iptables (modules nft_compat and xt_NFQUEUE).
    case compatible
  }

  /// - Parameters:
  ///   - listeners: of ours, at most one of each family, which accept for any address.
  ///   - queue: `nil`: packets wait in none.
  ///   - isLinked: whether all packets from and to our sockets, which have `linkMark`, wait in the queues of a link.
  static func messages(
    listeners: [SocketAddress], queue: QueueExpression? = nil, isLinked: Bool = false
  ) -> [NetlinkMessage] {
    let rules = listeners.flatMap { [ownServers($0.family), everythingElse(to: $0), echo($0.family)] }
    let base = [batch(.begin), table, chain(chainName, priority: -150)]
    guard let queue else { return base + rules.map { rule($0) } + [batch(.end)] }
    let waiting = listeners.flatMap { [ownServers($0.family), opening($0.family, waitsIn: queue)] }
    // A packet that has waited goes on to the next chain, not to the next rule.
    return base + [chain(waitingChainName, priority: -160)] + waiting.map { rule($0, in: waitingChainName) }
      + (refusals + rules).map { rule($0) } + (isLinked ? link(by: queue) : []) + [batch(.end)]
  }

  /// The mark of our sockets in a network with a link, and of what they send.
  static let linkMark: UInt32 = 0x7461

  /// Packets wait where they arrive: while one waits where it is sent, it counts as bytes that its socket has not sent.
  private static func link(by queue: QueueExpression) -> [NetlinkMessage] {
    let (localIn, transparent): (UInt32, UInt32) = (1, 0)
    let isOurs = [meta(markKey), compare(NetlinkMessage.native(linkMark))]
    // A connection that is not accepted yet has no mark of its own. Only our sockets stand for any address.
    let isForUs = [socket(transparent), compare([1])]
    return [
      chain(linkChainName, hook: localIn, priority: 0),
      rule(isOurs + [wait(in: queue, number: LinkPacket.Direction.down.rawValue)], in: linkChainName),
      rule(isForUs + [wait(in: queue, number: LinkPacket.Direction.up.rawValue)], in: linkChainName),
    ]
  }

  private static func socket(_ key: UInt32) -> NetlinkAttribute {
    expression("socket", [attribute(1, key), attribute(2, register)])
  }

  // MARK: Rules

  private static func opening(_ family: SocketAddress.Family, waitsIn queue: QueueExpression) -> [NetlinkAttribute] {
    matches(family, .tcp) + isOpening + [wait(in: queue)]
  }

  /// Whether it is the packet that opens a connection; it is of TCP.
  private static var isOpening: [NetlinkAttribute] {
    let (synchronize, acknowledge): (UInt8, UInt8) = (0x02, 0x10)
    return [payload(.transport, offset: 13, count: 1), masked(synchronize | acknowledge), compare([synchronize])]
  }

  /// The error that a program would have got if the connection had been its own.
  private static var refusals: [[NetlinkAttribute]] {
    let (reset, unreachable): (UInt32, UInt32) = (1, 2)
    let (noRoute, host): (UInt8, UInt8) = (0, 2)
    return PacketVerdict.allCases.compactMap { verdict in
      let answer: NetlinkAttribute
      switch verdict {
      case .accept, .drop: return nil
      case .refuse: answer = expression("reject", [attribute(1, reset)])
      case .noRoute: answer = expression("reject", [attribute(1, unreachable), NetlinkAttribute(2, [noRoute])])
      case .hostUnreachable: answer = expression("reject", [attribute(1, unreachable), NetlinkAttribute(2, [host])])
      }
      // Programs may set marks of their own: only those of packets that have waited are ours.
      let hasWaited = [meta(protocolKey), compare([TransportProtocol.tcp.rawValue])] + isOpening
      return hasWaited + [meta(markKey), compare(NetlinkMessage.native(verdict.mark)), answer]
    }
  }

  /// A server that the program itself runs on loopback answers its own connections.
  private static func ownServers(_ family: SocketAddress.Family) -> [NetlinkAttribute] {
    matches(family, .tcp) + loopbackDestination(family, is: true) + [hasSocket, accept]
  }

  private static func everythingElse(to listener: SocketAddress) -> [NetlinkAttribute] {
    let port = expression("immediate", [attribute(1, register), value(2, NetlinkMessage.network(listener.port))])
    let proxy = expression(
      "tproxy", [attribute(1, UInt32(listener.family.number)), attribute(3, register)])
    return matches(listener.family, .tcp) + [port, proxy, accept]
  }

  /// Nobody is there to answer a ping: the kernel would, for every address.
  private static func echo(_ family: SocketAddress.Family) -> [NetlinkAttribute] {
    let type = payload(.transport, offset: 0, count: 1)
    let (icmp, request): (TransportProtocol, UInt8) = family == .ipv4 ? (.icmp, 8) : (.icmpv6, 128)
    return matches(family, icmp) + [type, compare([request])] + loopbackDestination(family, is: false) + [drop]
  }

  // MARK: Expressions

  private enum TransportProtocol: UInt8 {
    case icmp = 1
    case tcp = 6
    case icmpv6 = 58
  }

  private enum Header: UInt32 {
    case network = 1
    case transport = 2
  }

  private static let register: UInt32 = 1
  private static let markKey: UInt32 = 3
  private static let familyKey: UInt32 = 15
  private static let protocolKey: UInt32 = 16

  private static func matches(_ family: SocketAddress.Family, _ transport: TransportProtocol) -> [NetlinkAttribute] {
    [meta(familyKey), compare([family.number]), meta(protocolKey), compare([transport.rawValue])]
  }

  /// 127.0.0.0/8 or ::1.
  private static func loopbackDestination(_ family: SocketAddress.Family, is wanted: Bool) -> [NetlinkAttribute] {
    switch family {
    case .ipv4: [payload(.network, offset: 16, count: 1), compare([127], is: wanted)]
    case .ipv6: [payload(.network, offset: 24, count: 16), compare([UInt8](repeating: 0, count: 15) + [1], is: wanted)]
    }
  }

  private static func meta(_ key: UInt32) -> NetlinkAttribute {
    expression("meta", [attribute(1, register), attribute(2, key)])
  }

  private static func payload(_ header: Header, offset: UInt32, count: UInt32) -> NetlinkAttribute {
    expression(
      "payload", [attribute(1, register), attribute(2, header.rawValue), attribute(3, offset), attribute(4, count)])
  }

  private static func compare(_ bytes: [UInt8], is wanted: Bool = true) -> NetlinkAttribute {
    expression("cmp", [attribute(1, register), attribute(2, wanted ? 0 : 1), value(3, bytes)])
  }

  /// Keeps these bits of the register's first byte.
  private static func masked(_ bits: UInt8) -> NetlinkAttribute {
    expression(
      "bitwise", [attribute(1, register), attribute(2, register), attribute(3, 1), value(4, [bits]), value(5, [0])])
  }

  /// Where nobody takes packets out of the queue, they go on.
  private static func wait(in queue: QueueExpression, number: UInt16 = PacketQueueMessage.queue) -> NetlinkAttribute {
    let (total, goesOn): (UInt16, UInt16) = (1, 1)
    switch queue {
    case .native:
      let numbers = [number, total, goesOn].map { NetlinkMessage.network($0) }
      return expression("queue", numbers.enumerated().map { NetlinkAttribute(UInt16($0 + 1), $1) })
    case .compatible:
      // xt_NFQ_info_v3, with its padding.
      let information = [number, total, goesOn, 0].flatMap { NetlinkMessage.native($0) }
      return expression("target", [NetlinkAttribute(1, "NFQUEUE"), attribute(2, 3), NetlinkAttribute(3, information)])
    }
  }

  /// Ends the rule unless a socket of the program has the packet's destination, or serves it on all addresses.
  private static var hasSocket: NetlinkAttribute {
    let wildcard: UInt32 = 2
    return socket(wildcard)
  }

  private static let accept = verdict(1)
  private static let drop = verdict(0)

  private static func verdict(_ code: UInt32) -> NetlinkAttribute {
    expression(
      "immediate",
      [attribute(1, 0), NetlinkAttribute(2, nested: [NetlinkAttribute(2, nested: [attribute(1, code)])])])
  }

  private static func value(_ type: UInt16, _ bytes: [UInt8]) -> NetlinkAttribute {
    NetlinkAttribute(type, nested: [NetlinkAttribute(1, bytes)])
  }

  private static func attribute(_ type: UInt16, _ number: UInt32) -> NetlinkAttribute {
    NetlinkAttribute(type, number)
  }

  private static func expression(_ name: String, _ data: [NetlinkAttribute]) -> NetlinkAttribute {
    NetlinkAttribute(1, nested: [NetlinkAttribute(1, name), NetlinkAttribute(2, nested: data)])
  }

  // MARK: Messages

  private enum Boundary: UInt16 {
    case begin = 16
    case end = 17
  }

  private static let subsystem: UInt16 = 10
  private static let bothFamilies: UInt8 = 1
  private static let tableName = NetlinkAttribute(1, "tapeline")
  private static let chainName = "in"
  private static let waitingChainName = "waiting"
  private static let linkChainName = "link"

  private static func batch(_ boundary: Boundary) -> NetlinkMessage {
    NetlinkMessage(type: boundary.rawValue, flags: 0, fixed: [0, 0] + NetlinkMessage.network(subsystem))
  }

  private static func message(_ type: UInt16, flags: UInt16 = 0, _ attributes: [NetlinkAttribute]) -> NetlinkMessage {
    NetlinkMessage(
      type: subsystem << 8 | type, flags: NetlinkMessage.acknowledged | NetlinkMessage.create | flags,
      fixed: [bothFamilies, 0, 0, 0], attributes)
  }

  private static var table: NetlinkMessage { message(0, [tableName]) }

  private static let prerouting: UInt32 = 0

  /// Sees each packet as it comes in from the loopback interface; if at `prerouting`, before its socket is looked up.
  private static func chain(_ name: String, hook: UInt32 = prerouting, priority: Int32) -> NetlinkMessage {
    message(
      3,
      [
        tableName, NetlinkAttribute(3, name),
        NetlinkAttribute(4, nested: [attribute(1, hook), attribute(2, UInt32(bitPattern: priority))]),
        NetlinkAttribute(7, "filter"),
      ])
  }

  private static func rule(_ expressions: [NetlinkAttribute], in chain: String = chainName) -> NetlinkMessage {
    message(
      6, flags: NetlinkMessage.append, [tableName, NetlinkAttribute(2, chain), NetlinkAttribute(4, nested: expressions)])
  }
}
