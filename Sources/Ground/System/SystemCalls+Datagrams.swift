package import CTapeline
internal import Glibc

/// A datagram that came: its bytes, the sender, and the address that it was sent to.
package struct Datagram: Sendable {
  package let bytes: [UInt8]
  package let from: tapeline_address
  package let to: tapeline_address
}

// UDP sockets: non-blocking and close-on-exec from the start.
extension SystemCalls {
  package static func makeDatagramSocket(isIPv6: Bool) throws(SystemCallError) -> Int32 {
    try retrying(.socket) { tapeline_datagram_socket(isIPv6) }
  }

  /// Has each datagram say to which address it was sent.
  package static func tellDestinations(of socket: Int32, isIPv6: Bool) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_tell_destinations(socket, isIPv6) }
  }

  /// The next datagram, cut off at `limit` bytes; `nil` if there is none.
  package static func receiveDatagram(_ socket: Int32, limit: Int) throws(SystemCallError) -> Datagram? {
    var (from, to) = (tapeline_address(), tapeline_address())
    var result = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      result = unsafe tapeline_receive_datagram(socket, buffer.baseAddress, limit, &from, &to)
      count = max(0, result)
    }
    guard result < 0 else { return Datagram(bytes: bytes, from: from, to: to) }
    if result == -Int(EAGAIN) || result == -Int(EINTR) { return nil }
    throw SystemCallError(code: Int32(-result), call: .receive)
  }

  /// Sends a datagram that has `from` as its source. It is lost if the kernel has no room.
  package static func sendDatagram(
    _ bytes: [UInt8], on socket: Int32, from: tapeline_address, to: tapeline_address
  ) throws(SystemCallError) {
    var (source, destination) = (from, to)
    let result = unsafe bytes.span.withUnsafeBytes { bytes in
      unsafe tapeline_send_datagram(socket, bytes.baseAddress, bytes.count, &source, &destination)
    }
    guard result < 0, result != -Int(EAGAIN) else { return }
    throw SystemCallError(code: Int32(-result), call: .send)
  }
}
