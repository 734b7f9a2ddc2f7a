/// A packet on its way between a command's network and us, which the kernel holds.
package struct LinkPacket: Hashable, Sendable {
  package enum Direction: UInt16, CaseIterable, Sendable {
    /// From a program. The raw value is the number of the kernel's queue.
    case up = 1
    /// To a program.
    case down = 2
  }

  package let direction: Direction
  /// The kernel's number.
  package let id: UInt32
  /// Bytes, with its headers.
  package let size: Int

  package init(direction: Direction, id: UInt32, size: Int) {
    self.direction = direction
    self.id = id
    self.size = size
  }
}

/// The words of the kernel's packet queues, one for each direction of a link.
package enum PacketLinkMessage {
  /// The most bytes of a message of the kernel's.
  package static let limit = 512
  /// The headers that say how long a packet is.
  private static let copiedBytes: UInt32 = 40
  private static let waitingPackets: UInt32 = 65_536

  /// Gives both queues to the socket that sends this.
  package static var opening: [NetlinkMessage] {
    LinkPacket.Direction.allCases.flatMap {
      PacketQueueMessage.opening(of: $0.rawValue, copying: copiedBytes, holding: waitingPackets)
    }
  }

  package static func judging(_ packet: LinkPacket, isAccepted: Bool) -> NetlinkMessage {
    let code: UInt32 = isAccepted ? 1 : 0
    return PacketQueueMessage.message(
      PacketQueueMessage.verdict, of: packet.direction.rawValue, flags: 0,
      [NetlinkAttribute(2, NetlinkMessage.network(code) + NetlinkMessage.network(packet.id))])
  }

  private static let usualVerdict =
    judging(LinkPacket(direction: .up, id: 0, size: 0), isAccepted: true).bytes(sequence: 0)

  /// Appends the message of `judging`, of which there is one for each packet, without making its parts.
  package static func append(verdictOn packet: LinkPacket, isAccepted: Bool, to bytes: inout [UInt8]) {
    let start = bytes.count
    bytes.append(contentsOf: usualVerdict)
    bytes[start + 19] = UInt8(packet.direction.rawValue)
    bytes[start + 27] = isAccepted ? 1 : 0
    for place in 0..<4 { bytes[start + 28 + place] = UInt8(truncatingIfNeeded: packet.id >> (24 - 8 * UInt32(place))) }
  }

  /// The packet in a datagram of the kernel's; `nil` for another message.
  package static func packet(in datagram: [UInt8]) -> LinkPacket? {
    guard let (id, bytes) = PacketQueueMessage.packet(in: datagram), let size = size(of: bytes),
      let direction = LinkPacket.Direction(rawValue: PacketQueueMessage.queue(in: datagram))
    else { return nil }
    return LinkPacket(direction: direction, id: id, size: size)
  }

  /// The length in the header of a packet, which is all that the kernel copies; `nil` without one.
  private static func size(of packet: ArraySlice<UInt8>) -> Int? {
    guard packet.count >= 6, let version = packet.first.map({ $0 >> 4 }) else { return nil }
    // IPv4 counts its header, and IPv6 does not.
    let (offset, uncounted) = version == 4 ? (2, 0) : (4, 40)
    let size = uncounted + packet.dropFirst(offset).prefix(2).reduce(0) { $0 << 8 | Int($1) }
    return size > 0 ? size : nil
  }
}
