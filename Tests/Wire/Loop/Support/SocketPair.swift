import CTapeline
import Glibc
import TapelineSystem
import Testing

@testable import TapelineLoop

/// The raw far end of a channel under test: a non-blocking TCP socket on loopback, used from the test's own thread.
final class Peer {
  private var descriptor: FileDescriptor?
  private(set) var received: [UInt8] = []
  private(set) var sawEnd = false
  private(set) var sawReset = false

  init(_ descriptor: consuming FileDescriptor) {
    self.descriptor = consume descriptor
  }

  deinit { close() }

  var rawValue: Int32 { descriptor?.rawValue ?? -1 }

  /// How many bytes the kernel took.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Int {
    unsafe bytes.withUnsafeBytes { max(0, unsafe tapeline_write(rawValue, $0.baseAddress, $0.count)) }
  }

  /// Reads what is there, at most `limit` bytes.
  func receive(limit: Int = .max) {
    var left = limit
    while left > 0, !sawEnd, !sawReset {
      let count = unsafe withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 1) { buffer in
        let count = unsafe tapeline_read(rawValue, buffer.baseAddress, min(buffer.count, left))
        if count > 0 { unsafe received += buffer[..<count] }
        return count
      }
      switch count {
      case 0: sawEnd = true
      case -Int(ECONNRESET): sawReset = true
      case ..<0: return
      default: left -= count
      }
    }
  }

  func shutdownOutput() {
    #expect(tapeline_shutdown(rawValue, Int32(SHUT_WR)) == 0)
  }

  func reset() {
    #expect(tapeline_set_reset_on_close(rawValue, 1) == 0)
    close()
  }

  func close() {
    descriptor.take()?.discard()
  }
}

/// Two connected TCP sockets on loopback.
struct SocketPair: ~Copyable {
  var near: FileDescriptor
  var far: FileDescriptor

  /// Small buffers make back-pressure come soon.
  init(bufferSize: Int32? = nil) throws {
    let any = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
    let bound = try BoundSocket(any, reusePort: false)
    let address = bound.address
    let listener = try bound.listen(backlog: 1)
    if let bufferSize { Self.set(SO_RCVBUF, of: listener.rawValue, to: bufferSize) }
    let connecting = FileDescriptor(owning: try SystemCalls.retrying(.socket) { tapeline_socket(false) })
    if let bufferSize { Self.set(SO_SNDBUF, of: connecting.rawValue, to: bufferSize) }
    _ = try SystemCalls.connect(connecting.rawValue, to: address)
    let accepted = try SystemCalls.accept(listener.rawValue)
    listener.discard()
    near = connecting
    // On loopback the connection is in the listener's queue when connect returns.
    guard let accepted else {
      preconditionFailure("a loopback connection was not accepted at once")
    }
    far = FileDescriptor(owning: accepted.descriptor)
  }

  static func set(_ option: Int32, of socket: Int32, to value: Int32) {
    var value = value
    let status = unsafe setsockopt(socket, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    precondition(status == 0, "a socket buffer was refused its size")
  }
}

/// A started channel that records into `handler`, and its far end.
func makeChannel(
  on loop: EventLoop, bufferSize: Int32? = nil, handler: RecordingHandler = RecordingHandler()
) throws -> (channel: Channel, peer: Peer, handler: RecordingHandler) {
  let pair = try SocketPair(bufferSize: bufferSize)
  let peer = Peer(pair.far)
  let channel = Channel(loop: loop, descriptor: pair.near)
  handler.channel = channel
  channel.handler = handler
  channel.start()
  return (channel, peer, handler)
}

/// An option of a socket, of those at its own level.
func option(_ name: Int32, of socket: Int32) -> Int32? { option(SOL_SOCKET, name, of: socket) }

func tcpOption(_ name: Int32, of socket: Int32) -> Int32? { option(Int32(IPPROTO_TCP), name, of: socket) }

private func option(_ level: Int32, _ name: Int32, of socket: Int32) -> Int32? {
  var value: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  return unsafe getsockopt(socket, level, name, &value, &length) == 0 ? value : nil
}
