internal import CTapeline
internal import Glibc
internal import TapelineBase

/// Sends on many sockets by one call of the kernel (io_uring_enter(2)). Used by one thread at a time.
///
/// A call for each message wakes one peer after the other, and a peer may take the caller's processor as soon as the call
/// returns: the other messages wait. One call sends them all before any peer runs.
@safe
package final class SendRing {
  private let ring: OpaquePointer
  /// The bytes to send, one message after the other.
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

  /// Takes a copy of `bytes` for `send`. `false` if there is no more room.
  package func append(_ bytes: Span<UInt8>, to socket: Int32) -> Bool {
    guard sendings.count < Self.capacity, self.bytes.count + bytes.count <= Self.largestSize else { return false }
    self.bytes.append(bytes: bytes)
    sendings.append(tapeline_sending(socket: socket, count: UInt32(bytes.count), result: 0))
    return true
  }

  /// Sends as much as the sockets take. `false` if the ring is of no more use: what was not sent then has the result of a full
  /// socket.
  package func send() -> Bool {
    unsafe tapeline_ring_send(ring, bytes, &sendings, UInt32(sendings.count)) == 0
  }

  /// In the order in which they were appended.
  package func result(at index: Int) throws(SystemCallError) -> IOResult {
    let result = sendings[index].result
    // There is no call to repeat: the bytes still wait, and are sent as soon as the socket is looked at again.
    if result == -EINTR { return .wouldBlock }
    return try SystemCalls.ioResult(.send) { Int(result) }
  }

  package func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    sendings.removeAll(keepingCapacity: true)
  }
}
