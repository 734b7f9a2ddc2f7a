internal import CTapeline
internal import Synchronization
internal import TapelineSystem

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
    do throws(SystemCallError) {
      // Small pieces leave as scripted.
      try SystemCalls.setNoDelay(descriptor)
    } catch {
      // If the socket is already gone, its first real use shows that.
    }
  }

  deinit {
    close()
  }

  static func connected(to loopback: Loopback, port: UInt16, before deadline: Deadline) throws(TestSupportError) -> StreamSocket {
    try connected(to: loopback.socketAddress(port: port), before: deadline)
  }

  static func connected(
    to address: InterfaceAddress, port: UInt16, before deadline: Deadline
  ) throws(TestSupportError) -> StreamSocket {
    try connected(to: address.socketAddress(port: port), before: deadline)
  }

  private static func connected(
    to address: tapeline_address, before deadline: Deadline
  ) throws(TestSupportError) -> StreamSocket {
    let stream: StreamSocket
    do throws(SystemCallError) {
      stream = StreamSocket(adopting: try SystemCalls.makeSocket(isIPv6: address.is_ipv6))
      _ = try SystemCalls.connect(stream.open(), to: address)
    } catch {
      throw TestSupportError(error)
    }
    try stream.wait(for: .writable, before: deadline, what: "connect to port \(address.port)")
    do throws(SystemCallError) {
      try SystemCalls.checkConnected(stream.open())
    } catch {
      throw TestSupportError(error)
    }
    return stream
  }

  /// The next bytes, at most `limit`; empty when the peer has closed its side.
  func receive(atMost limit: Int, before deadline: Deadline, what: String) throws(TestSupportError) -> [UInt8] {
    while true {
      try wait(for: .readable, before: deadline, what: what)
      if lateReads.load(ordering: .relaxed) > 0 {
        lateReads.subtract(1, ordering: .relaxed)
        TestDelays.holdUp()
      }
      do throws(SystemCallError) {
        if let bytes = try SystemCalls.read(open(), upTo: limit) { return bytes }
      } catch {
        throw TestSupportError(error, "recv")
      }
    }
  }

  func send(_ bytes: [UInt8], before deadline: Deadline) throws(TestSupportError) {
    var sent = 0
    while sent < bytes.count {
      try wait(for: .writable, before: deadline, what: "room to send \(bytes.count - sent) bytes")
      do throws(SystemCallError) {
        if case .done(let count) = try SystemCalls.send(bytes[sent...], to: open()) { sent += count }
      } catch {
        throw TestSupportError(error, "send")
      }
    }
  }

  /// Sends FIN; receiving goes on.
  func halfClose() throws(TestSupportError) {
    do throws(SystemCallError) {
      try SystemCalls.shutdownOutput(open())
    } catch {
      throw TestSupportError(error)
    }
  }

  /// Sends RST instead of FIN, even if the buffers still hold bytes.
  func reset() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      do throws(SystemCallError) {
        try SystemCalls.resetOnClose(open)
      } catch {
        // The connection is already gone.
      }
      SystemCalls.discard(open)
      descriptor = nil
    }
  }

  func close() {
    descriptor.withLock { descriptor in
      guard let open = descriptor else { return }
      SystemCalls.discard(open)
      descriptor = nil
    }
  }

  /// Ends the stream while another thread waits in it; that thread still closes the socket.
  func abandon() {
    descriptor.withLock { descriptor in
      guard let descriptor else { return }
      do throws(SystemCallError) {
        try SystemCalls.shutdown(descriptor)
      } catch {
        // The connection is already gone.
      }
    }
  }

  /// Limits what the kernel buffers before this side reads; only useful before the peer has sent much.
  func limitReceiveBuffer(to size: Int32) throws(TestSupportError) {
    do throws(SystemCallError) {
      try SystemCalls.limitReceiveBuffer(of: open(), to: size)
    } catch {
      throw TestSupportError(error)
    }
  }

  var localPort: UInt16 {
    get throws(TestSupportError) {
      do throws(SystemCallError) {
        return try SystemCalls.localName(of: open()).port
      } catch {
        throw TestSupportError(error)
      }
    }
  }

  private func wait(for event: PollRequest.Event, before deadline: Deadline, what: String) throws(TestSupportError) {
    let isReady: Bool
    do throws(SystemCallError) {
      isReady = try SystemCalls.wait(for: event, on: open(), milliseconds: deadline.remainingMilliseconds)
    } catch {
      throw TestSupportError(error)
    }
    guard isReady else { throw .timedOut(waitingFor: what) }
  }

  /// Throws `EBADF` once closed.
  private func open() throws(SystemCallError) -> Int32 {
    guard let descriptor = descriptor.withLock({ $0 }) else {
      throw SystemCallError(code: ErrorCode.badDescriptor, call: .read)
    }
    return descriptor
  }
}
