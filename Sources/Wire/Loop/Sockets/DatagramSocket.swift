package import TapelineSystem

/// A socket for datagrams over UDP. Loop-bound.
package final class DatagramSocket {
  /// A datagram, its sender, and the address that it was sent to.
  package typealias Handler = (_ bytes: [UInt8], _ from: SocketAddress, _ to: SocketAddress) -> Void

  let loop: EventLoop
  private var descriptor: FileDescriptor?
  private var registration: EventRegistration?
  private var onDatagram: Handler?
  private var onFailure: (() -> Void)?

  /// The most bytes of a datagram.
  private static let limit = 65_535
  /// Datagrams received per readiness.
  private static let batch = 32

  /// Receives from a socket that is bound, and stays its owner's too.
  package convenience init(loop: EventLoop, sharing socket: Int32, onDatagram: @escaping Handler) throws(SystemCallError) {
    self.init(loop: loop, owning: try SystemCalls.duplicate(socket), onDatagram, onFailure: nil)
  }

  /// Exchanges datagrams with one peer.
  ///
  /// - Parameter onFailure: called if the kernel says that nobody is there.
  package convenience init(
    loop: EventLoop, peer: SocketAddress, onDatagram: @escaping Handler, onFailure: @escaping () -> Void
  ) throws(SystemCallError) {
    let socket = try SystemCalls.makeDatagramSocket(isIPv6: peer.family == .ipv6)
    do throws(SystemCallError) {
      _ = try SystemCalls.connect(socket, to: peer)
    } catch {
      SystemCalls.discard(socket)
      throw error
    }
    self.init(loop: loop, owning: socket, onDatagram, onFailure: onFailure)
  }

  private init(
    loop: EventLoop, owning socket: Int32, _ onDatagram: @escaping Handler, onFailure: (() -> Void)?
  ) {
    loop.preconditionCurrent()
    self.loop = loop
    descriptor = FileDescriptor(owning: socket)
    self.onDatagram = onDatagram
    self.onFailure = onFailure
    registration = EventRegistration(readable: socket, for: self)
    registration?.add()
  }

  deinit {
    assert(descriptor == nil, "a socket was dropped without being closed")
  }

  /// Sends to the one peer. What cannot be sent is lost, as datagrams may be.
  package func send(_ bytes: [UInt8]) {
    guard let socket = descriptor?.rawValue else { return }
    do throws(SystemCallError) {
      _ = try SystemCalls.send(bytes[...], to: socket)
    } catch {
      fail()
    }
  }

  /// Sends from an address that need not be this machine's, if the socket may.
  package func send(_ bytes: [UInt8], from: SocketAddress, to: SocketAddress) {
    guard let socket = descriptor?.rawValue else { return }
    do throws(SystemCallError) {
      try SystemCalls.sendDatagram(bytes, on: socket, from: from.fenced, to: to.fenced)
    } catch {
      fail()
    }
  }

  /// Receives no more. Idempotent.
  package func close() {
    loop.preconditionCurrent()
    // The event is removed before its descriptor.
    registration = nil
    descriptor.take()?.discard()
    onDatagram = nil
    onFailure = nil
  }

  func didBecomeReadable() {
    for _ in 0..<Self.batch {
      guard let onDatagram, let socket = descriptor?.rawValue else { return }
      do throws(SystemCallError) {
        guard let datagram = try SystemCalls.receiveDatagram(socket, limit: Self.limit) else { return }
        onDatagram(datagram.bytes, SocketAddress(datagram.from), SocketAddress(datagram.to))
      } catch {
        return fail()
      }
    }
  }

  private func fail() {
    onFailure?()
  }
}
