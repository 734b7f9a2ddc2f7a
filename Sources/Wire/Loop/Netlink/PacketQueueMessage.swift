internal import TapelineBase

/// The verdict on a packet that opens a connection.
package enum PacketVerdict: UInt32, Sendable, Hashable, CaseIterable {
  /// It goes on.
  case accept = 0
  /// Its sender learns that nobody listens there (RST).
  case refuse = 1
  /// Its sender learns that there is no way to the network, or to the host (ICMP, ICMPv6).
  case noRoute = 2
  case hostUnreachable = 3
  /// Its sender learns nothing.
  case drop = 4

  /// The packet's mark, by which the packet filter knows the verdict.
  package var mark: UInt32 { rawValue }
}

/// The words of the kernel's packet queues (nfnetlink_queue).
package enum PacketQueueMessage {
  /// The number of our queue, in a network of which it is the only one.
  package static let queue: UInt16 = 0
  private static let subsystem: UInt16 = 3
  private static let packet: UInt16 = 0
  static let verdict: UInt16 = 1
  private static let configuration: UInt16 = 2
  /// Headers with all options; of the data nobody wants to know.
  private static let copiedBytes: UInt32 = 160
  private static let waitingPackets: UInt32 = 2048

  static func message(
    _ type: UInt16, of queue: UInt16 = PacketQueueMessage.queue, flags: UInt16, _ attributes: [NetlinkAttribute]
  ) -> NetlinkMessage {
    NetlinkMessage(
      type: subsystem << 8 | type, flags: flags, fixed: [0, 0] + NetlinkMessage.network(queue), attributes)
  }

  /// Gives the queue to the socket that sends this.
  package static var opening: [NetlinkMessage] { opening(of: queue, copying: copiedBytes, holding: waitingPackets) }

  static func opening(of queue: UInt16, copying bytes: UInt32, holding packets: UInt32) -> [NetlinkMessage] {
    let bind: UInt8 = 1
    let copyPacket: UInt8 = 2
    let settings = [
      NetlinkAttribute(1, [bind, 0, 0, 0]), NetlinkAttribute(2, NetlinkMessage.network(bytes) + [copyPacket]),
      NetlinkAttribute(3, packets),
    ]
    return settings.map { message(configuration, of: queue, flags: NetlinkMessage.acknowledged, [$0]) }
  }

  static func judging(_ packet: UInt32, _ judgement: PacketVerdict) -> NetlinkMessage {
    let (drop, accept): (UInt32, UInt32) = (0, 1)
    let code = judgement == .drop ? drop : accept
    return message(
      verdict, flags: 0,
      [
        NetlinkAttribute(2, NetlinkMessage.network(code) + NetlinkMessage.network(packet)), NetlinkAttribute(3, judgement.mark),
      ])
  }

  /// The queue of the packet in a datagram that has one.
  static func queue(in datagram: [UInt8]) -> UInt16 {
    datagram.dropFirst(NetlinkMessage.headerSize + 2).prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
  }

  /// The number and the bytes of the packet in a datagram of the kernel's; `nil` for another message.
  static func packet(in datagram: [UInt8]) -> (id: UInt32, bytes: ArraySlice<UInt8>)? {
    let start = NetlinkMessage.headerSize + 4
    guard datagram.count >= start, datagram[4] == UInt8(packet), datagram[5] == UInt8(subsystem) else { return nil }
    var id: UInt32?
    var bytes: ArraySlice<UInt8> = []
    NetlinkAttribute.forEach(in: datagram[start...]) { type, value in
      switch type {
      case 1 where value.count >= 4: id = value.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
      case 10: bytes = value
      default: break
      }
    }
    return id.map { ($0, bytes) }
  }
}

/// The first packet of a connection over TCP (SYN), which the kernel holds.
package struct HeldPacket: Hashable, Sendable {
  /// The kernel's number.
  package let id: UInt32
  package let flow: TCPFlow
  /// The same in every repetition of the packet, and other in the next connection between the two addresses.
  package let sequence: UInt32

  package init(id: UInt32, flow: TCPFlow, sequence: UInt32) {
    self.id = id
    self.flow = flow
    self.sequence = sequence
  }

  /// Reads the headers of IPv4 or IPv6 and of TCP; `nil` for others, and where an extension header of IPv6 comes between.
  init?(id: UInt32, bytes: ArraySlice<UInt8>) {
    let bytes = Array(bytes)
    let tcp: UInt8 = 6
    guard let first = bytes.first else { return nil }
    let (size, addresses, addressSize, carried): (Int, Int, Int, Int)
    switch first >> 4 {
    case 4: (size, addresses, addressSize, carried) = (Int(first & 15) * 4, 12, 4, 9)
    case 6: (size, addresses, addressSize, carried) = (40, 8, 16, 6)
    default: return nil
    }
    guard size >= 20, bytes.count >= size + 8, bytes[carried] == tcp else { return nil }
    func number(_ offset: Int, _ count: Int) -> UInt32 { bytes[offset..<offset + count].reduce(0) { $0 << 8 | UInt32($1) } }
    func address(_ offset: Int, port: Int) -> SocketAddress {
      SocketAddress(
        IPAddress(bytes: Array(bytes[offset..<offset + addressSize])), port: UInt16(truncatingIfNeeded: number(port, 2)))
    }
    self.init(
      id: id,
      flow: TCPFlow(
        source: address(addresses, port: size), destination: address(addresses + addressSize, port: size + 2)),
      sequence: number(size + 4, 4))
  }
}

/// The two ends of a connection over TCP.
package struct TCPFlow: Hashable, Sendable {
  package let source: SocketAddress
  package let destination: SocketAddress

  package init(source: SocketAddress, destination: SocketAddress) {
    self.source = source
    self.destination = destination
  }
}
