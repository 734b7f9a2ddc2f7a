package import TapelineSystem

/// The packets that open connections, which the kernel holds until they are judged. Loop-bound.
///
/// If it ends, the kernel drops the packets that wait, and holds no more.
package final class PacketQueue {
  let loop: EventLoop
  private var descriptor: FileDescriptor?
  private var registration: EventRegistration?
  private var onPacket: ((HeldPacket) -> Void)?

  /// The most bytes of a message of the kernel's.
  private static let limit = 1024
  /// Packets received per readiness.
  private static let batch = 64

  /// Receives from a socket that has a queue, and stays its owner's too.
  package init(
    loop: EventLoop, sharing socket: Int32, onPacket: @escaping (HeldPacket) -> Void
  ) throws(SystemCallError) {
    loop.preconditionCurrent()
    self.loop = loop
    self.onPacket = onPacket
    let own = FileDescriptor(owning: try SystemCalls.duplicate(socket))
    do throws(SystemCallError) {
      try SystemCalls.adoptSocket(own.rawValue)
    } catch {
      own.discard()
      throw error
    }
    let readable = own.rawValue
    descriptor = consume own
    registration = EventRegistration(readable: readable, for: self)
    registration?.add()
  }

  deinit {
    assert(descriptor == nil, "a queue was dropped without being closed")
  }

  /// Call it once for each packet.
  package func judge(_ packet: UInt32, _ verdict: PacketVerdict) {
    guard let socket = descriptor?.rawValue else { return }
    do throws(SystemCallError) {
      let message = PacketQueueMessage.judging(packet, verdict).bytes(sequence: 0)
      _ = try SystemCalls.send(message[...], to: socket)
    } catch {
      // The packet has gone with its network.
    }
  }

  /// Receives no more. Idempotent.
  package func close() {
    loop.preconditionCurrent()
    // The event is removed before its descriptor.
    registration = nil
    descriptor.take()?.discard()
    onPacket = nil
  }

  func didBecomeReadable() {
    for _ in 0..<Self.batch {
      guard let onPacket, let socket = descriptor?.rawValue else { return }
      do throws(SystemCallError) {
        guard let datagram = try SystemCalls.read(socket, upTo: Self.limit) else { return }
        guard let (id, bytes) = PacketQueueMessage.packet(in: datagram) else { continue }
        if let packet = HeldPacket(id: id, bytes: bytes) { onPacket(packet) } else { judge(id, .accept) }
      } catch {
        // The kernel had no room for more packets: it has dropped them, and their senders will repeat them.
        return
      }
    }
  }
}
