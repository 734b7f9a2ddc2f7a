internal import Glibc
internal import Synchronization

/// Owns one connected TCP socket. Every operation waits, but no longer than its deadline.
///
/// One thread at a time uses it; only `abandon` may come from another.
final class StreamSocket: Sendable {
  /// `nil` once closed.
  private let descriptor: Mutex<Int32?>
  private let lateReads = Atomic(TestDelays.lateReads)

  /// Takes ownership of `descriptor`.
  init(adopting descriptor: Int32) {
    self.descriptor = Mutex(descriptor)
    var on: Int32 = 1
    // Small pieces leave as scripted. If the socket is already gone, its first real use shows that.
    _ = unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  deinit {
    close()
  }

  static func connected(to loopback: Loopback, port: UInt16, before deadline: Deadline) throws(TestSupportError) -> StreamSocket {
    try unsafe connected(family: loopback.family, port: port, before: deadline) {
      unsafe loopback.withSocketAddress(port: port, $0)
    }
  }

  static func connected(
    to address: InterfaceAddress, port: UInt16, before deadline: Deadline
  ) throws(TestSupportError) -> StreamSocket {
    try unsafe connected(family: AF_INET, port: port, before: deadline) { unsafe address.withSocketAddress(port: port, $0) }
  }

  private static func connected(
    family: Int32, port: UInt16, before deadline: Deadline,
    toAddress: ((UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
  ) throws(TestSupportError) -> StreamSocket {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .last("socket") }
    let stream = StreamSocket(adopting: descriptor)
    let status = unsafe toAddress { unsafe connect(descriptor, $0, $1) }
    if status != 0 {
      guard errno == EINPROGRESS else { throw .last("connect") }
      try stream.wait(for: POLLOUT, before: deadline, what: "connect to port \(port)")
      var code: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { throw .last("getsockopt") }
      guard code == 0 else { throw .system(call: "connect", code: code) }
    }
    return stream
  }

  /// The next bytes, at most `limit`; empty when the peer has closed its side.
  func receive(atMost limit: Int, before deadline: Deadline, what: String) throws(TestSupportError) -> [UInt8] {
    while true {
      try wait(for: POLLIN, before: deadline, what: what)
      if lateReads.load(ordering: .relaxed) > 0 {
        lateReads.subtract(1, ordering: .relaxed)
        TestDelays.holdUp()
      }
      let descriptor = try open()
      var code: Int32 = 0
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
        let status = unsafe recv(descriptor, buffer.baseAddress, limit, Int32(MSG_DONTWAIT))
        code = status < 0 ? errno : 0
        count = max(0, status)
      }
      switch code {
      case 0: return bytes
      case EAGAIN, EINTR: continue
      default: throw .system(call: "recv", code: code)
      }
    }
  }

  func send(_ bytes: [UInt8], before deadline: Deadline) throws(TestSupportError) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: POLLOUT, before: deadline, what: "room to send \(bytes.count - sent) bytes")
      let descriptor = try open()
      var code: Int32 = 0
      let status = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[sent...])
        let status = unsafe Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
        code = status < 0 ? errno : 0
        return status
      }
      switch code {
      case 0: sent += status
      case EAGAIN, EINTR: continue
      default: throw .system(call: "send", code: code)
      }
    }
  }

  /// Sends FIN; receiving goes on.
  func halfClose() throws(TestSupportError) {
    guard shutdown(try open(), Int32(SHUT_WR)) == 0 else { throw .last("shutdown") }
  }

  /// Sends RST instead of FIN, even if the buffers still hold bytes.
  func reset() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      var now = linger(l_onoff: 1, l_linger: 0)
      _ = unsafe setsockopt(open, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      _ = Glibc.close(open)
      descriptor = nil
    }
  }

  func close() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      _ = Glibc.close(open)
      descriptor = nil
    }
  }

  /// Ends the stream while another thread waits in it; that thread still closes the socket.
  func abandon() {
    descriptor.withLock { descriptor in
      guard let descriptor else { return }
      _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// Limits what the kernel buffers before this side reads; only useful before the peer has sent much.
  func limitReceiveBuffer(to size: Int32) throws(TestSupportError) {
    var size = size
    let status = unsafe setsockopt(try open(), SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    guard status == 0 else { throw .last("setsockopt") }
  }

  var localPort: UInt16 {
    get throws(TestSupportError) { try TapelineTestSupport.localPort(of: open()) }
  }

  private func wait(for events: Int32, before deadline: Deadline, what: String) throws(TestSupportError) {
    guard try isReady(try open(), for: events, before: deadline) else { throw .timedOut(waitingFor: what) }
  }

  private func open() throws(TestSupportError) -> Int32 {
    guard let descriptor = descriptor.withLock({ $0 }) else { throw .system(call: "use of a closed socket", code: EBADF) }
    return descriptor
  }
}

/// Waits until `descriptor` is ready, or ended; `false` when the deadline passed first.
func isReady(_ descriptor: Int32, for events: Int32, before deadline: Deadline) throws(TestSupportError) -> Bool {
  var request = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  while true {
    let count = unsafe poll(&request, 1, deadline.remainingMilliseconds)
    if count > 0 { return true }
    if count == 0 { return false }
    guard errno == EINTR else { throw .last("poll") }
  }
}

/// The port that a socket is bound to, for both address families.
func localPort(of descriptor: Int32) throws(TestSupportError) -> UInt16 {
  var storage = sockaddr_storage()
  var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
  let status = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
  }
  guard status == 0 else { throw .last("getsockname") }
  // The port is at the same place in both families' addresses.
  let bigEndian = unsafe withUnsafePointer(to: &storage) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { unsafe $0.pointee.sin_port }
  }
  return UInt16(bigEndian: bigEndian)
}
