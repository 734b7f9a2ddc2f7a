internal import CTapeline
internal import TapelineText

/// Sends on many sockets by one call of the kernel (io_uring_enter(2)). Used by one thread at a time.
///
/// What each call of its own sends wakes a peer, which may take the caller's processor when that call returns; the rest would
/// wait meanwhile. By one call, all is sent before any peer comes.
@safe
package final class SendRing {
  private let ring: OpaquePointer
  /// What is to be sent, one after the other.
  private var bytes: [UInt8] = []
  private var sendings: [tapeline_sending] = []

  private static let capacity = 64
  private static let largestSize = 256 * 1024

  /// `nil` if the kernel has no io_uring, or a filter of system calls forbids it, as in many containers.
  package init?() {
    var made: OpaquePointer?
    guard unsafe tapeline_ring_make(UInt32(Self.capacity), &made) == 0, let ring = unsafe made else { return nil }
    unsafe self.ring = ring
  }

  deinit {
    unsafe tapeline_ring_free(ring)
  }

  package var isEmpty: Bool { sendings.isEmpty }

  /// Takes a copy of `bytes`, which `send` sends. `nil` if there is no more room, else where the result will be.
  package func append(_ bytes: Span<UInt8>, to socket: Int32) -> Int? {
    guard sendings.count < Self.capacity, self.bytes.count + bytes.count <= Self.largestSize else { return nil }
    self.bytes.append(bytes: bytes)
    sendings.append(tapeline_sending(socket: socket, count: UInt32(bytes.count), result: 0))
    return sendings.count - 1
  }

  /// Sends as much as the sockets take. `false` if the ring is of no more use: then some found no room that had it.
  package func send() -> Bool {
    unsafe tapeline_ring_send(ring, bytes, &sendings, UInt32(sendings.count)) == 0
  }

  package func result(at index: Int) throws(SystemCallError) -> IOResult {
    try SystemCalls.ioResult(.send) { Int(sendings[index].result) }
  }

  package func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    sendings.removeAll(keepingCapacity: true)
  }
}
