internal import Synchronization
internal import TapelineLoop
internal import TapelineRecorder
internal import TapelineSystem
internal import TapelineTime

/// Holds the packets of a command's network as a network of the user's choice would, on a thread of its own: the kernel gives
/// each before it arrives, and waits for its verdict.
package final class PacketLink: Sendable {
  private let counted: Mutex<RecordedNetwork>
  private let isStopping = Atomic(false)

  /// At most this many are taken in before those are looked at that have arrived.
  private static let batch = 64
  /// So much before its time, a packet is given back: the kernel wakes this thread about as late, and takes time for both. In
  /// nanoseconds.
  private static let lead: Int64 = 100_000
  /// The longest wait, after which the thread looks whether it is to end.
  private static let idle: Int64 = 100_000_000

  /// - Parameter socket: has the queues of both directions, and stays its owner's.
  init(sharing socket: Int32, _ profile: LinkProfile) throws(SystemCallError) {
    let queue = LinkQueue(profile, at: .now)
    counted = Mutex(queue.counts)
    let own = try SystemCalls.duplicate(socket)
    do throws(SystemCallError) {
      try SystemCalls.adoptSocket(own)
      let thread = try SystemThread(name: "tapeline-link", takesSignals: false) { [self] in
        serve(own, queue)
        SystemCalls.discard(own)
      }
      thread.detach()
    } catch {
      SystemCalls.discard(own)
      throw error
    }
  }

  /// For the log: what it is, and what it has done so far.
  var recorded: RecordedNetwork { counted.withLock { $0 } }

  /// Soon, it holds nothing any more. What it holds then is lost.
  func stop() {
    isStopping.store(true, ordering: .relaxed)
  }

  private func serve(_ socket: Int32, _ new: LinkQueue) {
    SystemThread.sharpenTimers()
    var queue = new
    while !isStopping.load(ordering: .relaxed) {
      let soon = MonotonicInstant.now.advanced(byNanoseconds: Self.lead)
      judge(queue.arrived(at: soon), isAccepted: true, on: socket)
      let rest = queue.next.map { max(0, $0.nanoseconds(since: soon)) } ?? Self.idle
      do throws(SystemCallError) {
        guard try SystemCalls.waitReadable(socket, nanoseconds: min(rest, Self.idle)) else { continue }
        try takeIn(from: socket, &queue)
      } catch {
        // The kernel had no room for more packets: it has dropped them, and their senders will repeat them.
      }
      counted.withLock { $0 = queue.counts }
    }
  }

  private func takeIn(from socket: Int32, _ queue: inout LinkQueue) throws(SystemCallError) {
    var dropped: [LinkPacket] = []
    defer { judge(dropped, isAccepted: false, on: socket) }
    for _ in 0..<Self.batch {
      guard let datagram = try SystemCalls.read(socket, upTo: PacketLinkMessage.limit) else { return }
      guard let packet = PacketLinkMessage.packet(in: datagram) else { continue }
      if !queue.receive(packet, at: .now) { dropped.append(packet) }
    }
  }

  private func judge(_ packets: [LinkPacket], isAccepted: Bool, on socket: Int32) {
    guard !packets.isEmpty else { return }
    var bytes: [UInt8] = []
    for packet in packets { PacketLinkMessage.append(verdictOn: packet, isAccepted: isAccepted, to: &bytes) }
    do throws(SystemCallError) {
      _ = try SystemCalls.send(bytes[...], to: socket)
    } catch {
      // The packets have gone with their network.
    }
  }
}
