import TapelineLoop
import Testing

@testable import TapelineLive

/// The words that a link and the kernel exchange.
@Suite struct PacketLinkMessageTests {
  /// A message of the kernel's, with the beginning of a packet.
  private func datagram(queue: UInt8, id: UInt8, _ packet: [UInt8]) -> [UInt8] {
    let header: [UInt8] = [11, 0, 1, 0, 0, 0, 0, id, 8, 0, 1, 0]
    let size = UInt8(4 + packet.count)
    let payload: [UInt8] = [size, 0, 10, 0] + packet
    let length = UInt8(16 + 4 + header.count + payload.count)
    return [length, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] + [2, 0, 0, queue] + header + payload
  }

  @Test("A packet has its direction, its number and the length in its header")
  func packets() throws {
    let old: [UInt8] = [0x45, 0, 0x05, 0xDC] + [UInt8](repeating: 0, count: 16)
    #expect(
      PacketLinkMessage.packet(in: datagram(queue: 1, id: 7, old)) == LinkPacket(direction: .up, id: 7, size: 1_500))
    let new: [UInt8] = [0x60, 0, 0, 0, 0x01, 0x00] + [UInt8](repeating: 0, count: 34)
    #expect(
      PacketLinkMessage.packet(in: datagram(queue: 2, id: 8, new)) == LinkPacket(direction: .down, id: 8, size: 296))
    #expect(PacketLinkMessage.packet(in: datagram(queue: 3, id: 8, new)) == nil)
    #expect(PacketLinkMessage.packet(in: [1, 2, 3]) == nil)
  }

  @Test("A verdict names the queue and the packet")
  func verdicts() {
    let packet = LinkPacket(direction: .down, id: 9, size: 60)
    let content = PacketLinkMessage.judging(packet, isAccepted: true).content
    #expect(content.prefix(4) == [0, 0, 0, 2] && content.suffix(8) == [0, 0, 0, 1, 0, 0, 0, 9])
    #expect(PacketLinkMessage.judging(packet, isAccepted: false).content.suffix(8) == [0, 0, 0, 0, 0, 0, 0, 9])
    for (direction, isAccepted) in [(LinkPacket.Direction.up, true), (.down, false)] {
      let packet = LinkPacket(direction: direction, id: 0x0102_0304, size: 60)
      var bytes: [UInt8] = [7]
      PacketLinkMessage.append(verdictOn: packet, isAccepted: isAccepted, to: &bytes)
      #expect(bytes == [7] + PacketLinkMessage.judging(packet, isAccepted: isAccepted).bytes(sequence: 0))
    }
  }

  @Test("With a link, three rules bring packets into its queues, at the end of their way")
  func rules() {
    let listener = SocketAddress(literal: "127.0.0.1", port: 4321).map { [$0] } ?? []
    let plain = PacketRules.messages(listeners: listener, queue: .native)
    let linked = PacketRules.messages(listeners: listener, queue: .native, isLinked: true)
    #expect(linked.count == plain.count + 3)
    #expect(NamespaceRoutes.messages(sources: [], packetSize: 1_500).first?.content.count == 24)
  }
}
