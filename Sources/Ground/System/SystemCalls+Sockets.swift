public import CTapeline
internal import Glibc

// TCP sockets: non-blocking and close-on-exec from the start.
extension SystemCalls {
  package static func makeSocket(isIPv6: Bool) throws(SystemCallError) -> Int32 {
    try retrying(.socket) { tapeline_socket(isIPv6) }
  }

  package static func bind(_ socket: Int32, to address: tapeline_address) throws(SystemCallError) {
    var name = address
    _ = try retrying(.bind) { unsafe tapeline_bind(socket, &name) }
  }

  package static func listen(_ socket: Int32, backlog: Int32) throws(SystemCallError) {
    _ = try retrying(.listen) { tapeline_listen(socket, backlog) }
  }

  /// Accepts a waiting connection; `nil` if there is no such connection.
  package static func accept(_ listener: Int32, peer: inout tapeline_address) throws(SystemCallError) -> Int32? {
    while true {
      let result = unsafe tapeline_accept(listener, &peer)
      if result >= 0 { return result }
      switch -result {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      default:
        precondition(result != -EBADF, "a listener was used after its close")
        throw SystemCallError(code: -result, call: .accept)
      }
    }
  }

  /// Starts to connect a non-blocking socket. `.wouldBlock`: the attempt continues, and writability tells when it is decided.
  package static func connect(_ socket: Int32, to address: tapeline_address) throws(SystemCallError) -> IOResult {
    var name = address
    let result = unsafe tapeline_connect(socket, &name)
    if result >= 0 { return .done(0) }
    precondition(result != -EBADF, "a socket was used after its close")
    // An interrupted connect continues by itself, like one in progress (POSIX connect).
    if result == -EINPROGRESS || result == -EINTR { return .wouldBlock }
    throw SystemCallError(code: -result, call: .connect)
  }

  /// Throws the error with which a connect ended, if it failed.
  package static func checkConnected(_ socket: Int32) throws(SystemCallError) {
    var code: Int32 = 0
    _ = try retrying(.getsockopt) { unsafe tapeline_take_socket_error(socket, &code) }
    guard code == 0 else { throw SystemCallError(code: code, call: .connect) }
  }

  /// Sends FIN.
  package static func shutdownOutput(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.shutdown) { tapeline_shutdown(socket, Int32(SHUT_WR)) }
  }

  /// Ends both directions; the socket stays open.
  package static func shutdown(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.shutdown) { tapeline_shutdown(socket, Int32(SHUT_RDWR)) }
  }

  /// Reads from a socket, and asks when the bytes arrived.
  ///
  /// - Parameters:
  ///   - keepsBytes: leave the bytes in the kernel (MSG_PEEK).
  ///   - stamp: when the last segment of these bytes arrived, in nanoseconds since 1970 on the clock of the time of day; 0 where
  ///     the kernel does not say.
  @inlinable
  public static func receive(
    from socket: Int32, into buffer: UnsafeMutableRawBufferPointer, keepsBytes: Bool = false, stamp: inout Int64
  ) throws(SystemCallError) -> IOResult {
    try ioResult(.read) { unsafe tapeline_receive(socket, buffer.baseAddress, buffer.count, keepsBytes, &stamp) }
  }

  /// Writes to a socket without SIGPIPE.
  package static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) throws(SystemCallError) -> IOResult {
    try unsafe bytes.span.withUnsafeBytes { bytes throws(SystemCallError) in
      try ioResult(.write) { unsafe tapeline_send(socket, bytes.baseAddress, bytes.count) }
    }
  }

  package static func localName(of socket: Int32) throws(SystemCallError) -> tapeline_address {
    var address = tapeline_address()
    _ = try retrying(.getsockname) { unsafe tapeline_local_address(socket, &address) }
    return address
  }

  package static func peerName(of socket: Int32) throws(SystemCallError) -> tapeline_address {
    var address = tapeline_address()
    _ = try retrying(.getpeername) { unsafe tapeline_peer_address(socket, &address) }
    return address
  }

  package static func tcpStatistics(of socket: Int32) throws(SystemCallError) -> TCPStatistics {
    var info = tapeline_tcp_info()
    _ = try retrying(.getsockopt) { unsafe tapeline_tcp_info(socket, &info) }
    return TCPStatistics(info)
  }

  /// How many segments with data a connection has received, modulo 2^32, and how many bytes; `nil` if the kernel does not say.
  package static func segmentsReceived(on socket: Int32) -> (count: UInt32, bytes: UInt64)? {
    var (count, bytes): (UInt32, UInt64) = (0, 0)
    return unsafe tapeline_segments_received(socket, &count, &bytes) == 0 ? (count, bytes) : nil
  }

  // MARK: Options

  package static func setNoDelay(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_no_delay(socket, true) }
  }

  package static func setReuseAddress(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_reuse_address(socket, true) }
  }

  package static func setReusePort(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_reuse_port(socket, true) }
  }

  /// Gives each of `count` sockets that share a port the connections that come on its processors: the first those of processor
  /// 0, `count`, 2 · `count` and so on, the second those of the next. Their order is that in which they began to listen.
  package static func distributeByProcessor(_ socket: Int32, among count: Int) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_distribute_by_processor(socket, UInt32(count)) }
  }

  package static func setIPv6Only(_ socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_ipv6_only(socket, true) }
  }

  /// Has the kernel probe a peer after a minute of silence, since nothing else does (RFC 9293 3.8.4), and give it up two minutes
  /// later.
  package static func probeSilentPeer(of socket: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_keep_alive(socket, 60, 15, 8) }
  }

  /// Has the kernel note when segments arrive, for `receive`. Sockets that a listener accepts inherit it.
  ///
  /// Nothing depends on it, so nothing is thrown: a kernel or a filter of system calls that refuses it leaves us without stamps.
  package static func stampArrivals(on socket: Int32) {
    _ = tapeline_stamp_arrivals(socket)
  }

  /// The options of every TCP connection that a listener accepts: no delay and probes.
  package static func prepareConnections(on socket: Int32) throws(SystemCallError) {
    try setNoDelay(socket)
    try probeSilentPeer(of: socket)
  }

  /// Limits what the kernel keeps until we read.
  package static func limitReceiveBuffer(of socket: Int32, to size: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_limit_receive_buffer(socket, size) }
  }

  /// Limits what the kernel keeps until the peer has taken it; it counts twice the bytes.
  package static func limitSendBuffer(of socket: Int32, to size: Int32) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_limit_send_buffer(socket, size) }
  }

  /// Makes `close` send RST, or FIN again; so does the end of the process.
  package static func resetOnClose(_ socket: Int32, _ resets: Bool = true) throws(SystemCallError) {
    _ = try retrying(.setsockopt) { tapeline_set_reset_on_close(socket, resets ? 1 : 0) }
  }
}

// Local (Unix) sockets: streams, non-blocking and close-on-exec from the start.
extension SystemCalls {
  package static func makeLocalSocket() throws(SystemCallError) -> Int32 {
    try retrying(.socket) { tapeline_local_socket() }
  }

  /// - Throws: `ENAMETOOLONG` for a path of more than 107 bytes.
  package static func bindLocal(_ socket: Int32, to path: String) throws(SystemCallError) {
    _ = try retrying(.bind) { unsafe tapeline_local_bind(socket, path) }
  }

  /// `.wouldBlock`: the server's queue is full, and nothing tells when to try again.
  package static func connectLocal(_ socket: Int32, to path: String) throws(SystemCallError) -> IOResult {
    try ioResult(.connect) { unsafe Int(tapeline_local_connect(socket, path)) }
  }

  package static func acceptLocal(_ listener: Int32) throws(SystemCallError) -> Int32 {
    try retrying(.accept) { tapeline_local_accept(listener) }
  }

  /// Whether a socket is a local one, and not one of the internet.
  package static func isLocalSocket(_ socket: Int32) throws(SystemCallError) -> Bool {
    try retrying(.getsockname) { tapeline_is_local_socket(socket) } == 1
  }

  /// The path of a local socket; an abstract name begins with `@`, and none is empty.
  package static func localPath(of socket: Int32) throws(SystemCallError) -> String {
    let limit = 128
    return try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer throws(SystemCallError) in
      guard let start = buffer.baseAddress else { return "" }
      _ = try retrying(.getsockname) { unsafe tapeline_local_path(socket, start) }
      return unsafe String(cString: start)
    }
  }

  /// Whether a descriptor is a socket that listens for connections, each of which is a stream of bytes.
  package static func acceptsStreams(_ socket: Int32) -> Bool { tapeline_accepts_streams(socket) }

  /// Makes a socket that another program has made non-blocking and close-on-exec.
  package static func adoptSocket(_ descriptor: Int32) throws(SystemCallError) {
    _ = try retrying(.duplicate) { tapeline_adopt_socket(descriptor) }
  }

  /// The user at the other end, as the kernel knows it (SO_PEERCRED).
  package static func peerUser(of socket: Int32) throws(SystemCallError) -> UInt32 {
    var user: UInt32 = 0
    _ = try retrying(.getsockopt) { unsafe tapeline_local_peer_user(socket, &user) }
    return user
  }
}

/// A descriptor to wait for, and whether it is ready.
package struct PollRequest: Sendable {
  package enum Event: Sendable {
    /// There are bytes, a connection, or the end.
    case readable
    case writable
  }

  /// Negative: never ready.
  package let descriptor: Int32
  package let event: Event
  /// From the last `poll`: the event has occurred, or the descriptor has ended.
  package fileprivate(set) var isReady = false
  /// The other end is permanently closed.
  package fileprivate(set) var isHungUp = false

  package init(_ event: Event, on descriptor: Int32) {
    self.descriptor = descriptor
    self.event = event
  }
}

extension SystemCalls {
  /// Waits until one of the descriptors is ready, a signal arrives, or the time is up.
  ///
  /// - Parameter milliseconds: without limit if `nil`.
  /// - Returns: whether any is ready.
  @discardableResult
  package static func poll(_ requests: inout [PollRequest], milliseconds: Int32?) -> Bool {
    var entries = requests.map { request in
      pollfd(fd: request.descriptor, events: Int16(request.event == .readable ? POLLIN : POLLOUT), revents: 0)
    }
    let count = unsafe tapeline_poll(&entries, UInt(entries.count), milliseconds ?? -1)
    for index in requests.indices {
      let found = count > 0 ? entries[index].revents : 0
      requests[index].isReady = found != 0
      requests[index].isHungUp = Int32(found) & POLLHUP != 0
    }
    return count > 0
  }

  /// Waits for one descriptor; continues after a signal.
  ///
  /// - Parameter milliseconds: without limit if `nil`.
  /// - Returns: `false` if the time is up.
  package static func wait(
    for event: PollRequest.Event, on descriptor: Int32, milliseconds: Int32?
  ) throws(SystemCallError) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(event == .readable ? POLLIN : POLLOUT), revents: 0)
    return try retrying(.poll) { unsafe tapeline_poll(&entry, 1, milliseconds ?? -1) } > 0
  }

  /// Both ends of a pipe, for the caller to close.
  package static func makePipe(isNonBlocking: Bool) throws(SystemCallError) -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = try retrying(.pipe) { unsafe tapeline_pipe(&ends, isNonBlocking) }
    return (ends[0], ends[1])
  }

  /// A counter with which threads wake others: readable from the first `ring` on. Non-blocking.
  package static func makeBell() throws(SystemCallError) -> Int32 {
    try retrying(.eventfd) { tapeline_eventfd() }
  }

  package static func ring(_ bell: Int32) throws(SystemCallError) {
    var one: UInt64 = 1
    // A full counter has already rung.
    _ = try unsafe withUnsafeBytes(of: &one) { bytes throws(SystemCallError) in try unsafe write(bell, from: bytes) }
  }

  /// Clears the counter.
  package static func silence(_ bell: Int32) throws(SystemCallError) {
    var count: UInt64 = 0
    _ = try unsafe withUnsafeMutableBytes(of: &count) { bytes throws(SystemCallError) in try unsafe read(bell, into: bytes) }
  }
}
