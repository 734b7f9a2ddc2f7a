internal import TapelineSystem

/// A socket that is being connected. Loop-bound.
final class ConnectionAttempt {
  let loop: EventLoop
  let address: SocketAddress
  private let onEnd: (Result<Void, LoopError>) -> Void
  private var descriptor: FileDescriptor?
  private var registration: EventRegistration?

  init(loop: EventLoop, address: SocketAddress, onEnd: @escaping (Result<Void, LoopError>) -> Void) {
    self.loop = loop
    self.address = address
    self.onEnd = onEnd
  }

  deinit {
    assert(descriptor == nil, "an attempt to connect was dropped without being abandoned")
  }

  /// Sends the first SYN. `onEnd` comes later from the loop, unless this throws.
  func start() throws(LoopError) {
    do throws(SystemCallError) {
      let socket = try SystemCalls.makeSocket(isIPv6: address.family == .ipv6)
      descriptor = FileDescriptor(owning: socket)
      try SystemCalls.setNoDelay(socket)
      try SystemCalls.keepAlive(socket)
      // Writability tells whether it is connected, even if it connected at once, so that there is only one path from here.
      _ = try SystemCalls.connect(socket, to: address)
      registration = unsafe EventRegistration(
        on: loop.base, .writable(socket), callback: connectionAttemptIsWritable,
        context: Unmanaged.passUnretained(self).toOpaque())
      registration?.add()
    } catch {
      abandon()
      throw failure(error)
    }
  }

  /// Closes the socket; nothing is reported after that. Idempotent.
  func abandon() {
    registration = nil
    descriptor.take()?.discard()
  }

  /// Hands over the connected socket.
  func takeDescriptor() -> FileDescriptor {
    registration = nil
    guard let descriptor = descriptor.take() else {
      preconditionFailure("a connection was taken that does not stand")
    }
    return descriptor
  }

  func didBecomeWritable() {
    guard let socket = descriptor?.rawValue else { return }
    registration = nil
    do throws(SystemCallError) {
      try SystemCalls.checkConnected(socket)
    } catch {
      abandon()
      return onEnd(.failure(failure(error)))
    }
    onEnd(.success(()))
  }

  private func failure(_ error: SystemCallError) -> LoopError {
    LoopError(error, subject: address.description)
  }
}
