import Testing

@testable import TapelineLoop

/// What is said to the kernel's packet queues, byte for byte, and what they say.
@Suite("Messages of packet queues") struct PacketQueueMessageTests {
  private func packet(_ bytes: [UInt8], id: UInt32 = 258) -> [UInt8] {
    NetlinkMessage(
      type: 3 << 8, flags: 0, fixed: [2, 0, 0, 0],
      [NetlinkAttribute(1, NetlinkMessage.network(id) + [8, 0, 0]), NetlinkAttribute(10, bytes)]
    ).bytes(sequence: 0)
  }

  private let tcp: [UInt8] = [0x9C, 0x40, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0, 0xA0, 2]

  private var ipv4: [UInt8] {
    // With four bytes of options.
    [0x46, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 0, 8, 127, 0, 0, 1, 1, 1, 1, 1] + tcp
  }

  private var ipv6: [UInt8] {
    [0x60, 0, 0, 0, 0, 20, 6, 64] + [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12)
      + [UInt8](repeating: 0, count: 15) + [1] + tcp
  }

  @Test("A packet's number, its ends and its sequence number are read, in both families")
  func packets() throws {
    for (bytes, source, destination) in [(ipv4, "192.0.0.8:40000", "127.0.0.1:80"), (ipv6, "[2001:db8::]:40000", "[::1]:80")] {
      let (id, content) = try #require(PacketQueueMessage.packet(in: packet(bytes)))
      #expect(id == 258)
      let held = try #require(HeldPacket(id: id, bytes: content))
      #expect(held.flow.source.description == source)
      #expect(held.flow.destination.description == destination)
      #expect(held.sequence == 0x0102_0304)
    }
  }

  @Test("Other bytes are no such packet")
  func others() {
    #expect(PacketQueueMessage.packet(in: []) == nil)
    #expect(PacketQueueMessage.packet(in: NetlinkMessage(type: 2, flags: 0, fixed: [0, 0, 0, 0]).bytes(sequence: 0)) == nil)
    var datagrams = ipv4
    datagrams[9] = 17
    let wrong: [[UInt8]] = [
      [], [0x45], Array(ipv4.prefix(28)), Array(ipv6.prefix(44)), datagrams, [0x50] + ipv4.dropFirst(), [0x41] + ipv4.dropFirst(),
    ]
    for bytes in wrong {
      #expect(HeldPacket(id: 1, bytes: bytes[...]) == nil, "\(bytes)")
    }
  }

  @Test("A judgement names the packet; the packet filter knows it by the mark")
  func judgements() {
    for (verdict, code, mark) in [(PacketVerdict.accept, 1, 0), (.refuse, 1, 1), (.noRoute, 1, 2), (.drop, 0, 4)] {
      let message = PacketQueueMessage.judging(0x0102_0304, verdict)
      #expect(message.type == 3 << 8 | 1 && !message.isAcknowledged)
      let expected: [UInt8] =
        [0, 0, 0, 0, 12, 0, 2, 0, 0, 0, 0, UInt8(code), 1, 2, 3, 4, 8, 0, 3, 0, 0, 0, 0, UInt8(mark)]
      #expect(message.content == expected)
    }
  }

  @Test("A queue is asked for in three acknowledged steps")
  func opening() {
    let messages = PacketQueueMessage.opening
    #expect(messages.map(\.type) == [770, 770, 770] && messages.allSatisfy(\.isAcknowledged))
    #expect(messages[0].content == [0, 0, 0, 0, 8, 0, 1, 0, 1, 0, 0, 0])
  }
}
