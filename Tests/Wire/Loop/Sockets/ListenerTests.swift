import CTapeline
import Glibc
import TapelineSystem
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineLoop

struct ListenerTests {
  let loop: EventLoop
  let anyPort: SocketAddress

  init() throws {
    loop = try EventLoop()
    anyPort = try #require(SocketAddress(literal: "127.0.0.1", port: 0))
  }

  @Test func acceptsWithPeerInstantAndOptions() throws {
    let before = MonotonicInstant.now
    var accepted: [(peer: SocketAddress?, instant: MonotonicInstant)] = []
    let listener = try Listener(loop: loop, address: anyPort) { descriptor, peer, instant in
      accepted.append((peer, instant))
      #expect(fcntl(descriptor.rawValue, F_GETFL) & O_NONBLOCK != 0)
      #expect(fcntl(descriptor.rawValue, F_GETFD) == FD_CLOEXEC)
      let (isProbed, idle) = (option(SO_KEEPALIVE, of: descriptor.rawValue), tcpOption(TCP_KEEPIDLE, of: descriptor.rawValue))
      #expect(tcpOption(TCP_NODELAY, of: descriptor.rawValue) == 1 && isProbed == 1 && idle == 60, "by the listening socket")
      descriptor.discard()
      loop.stop()
    }
    #expect(listener.localAddress.port != 0)
    let client = try connect(to: listener.localAddress)
    let clientAddress = try SystemCalls.localAddress(of: client.rawValue)
    loop.serve()
    client.close()
    #expect(accepted.map(\.peer) == [clientAddress])
    #expect(accepted.allSatisfy { $0.instant >= before && $0.instant <= .now })
    listener.close()
    listener.close()
  }

  @Test func acceptsABurst() throws {
    var count = 0
    let listener = try Listener(loop: loop, address: anyPort) { descriptor, _, _ in
      descriptor.discard()
      count += 1
      if count == 200 { loop.stop() }
    }
    let clients = try (0..<200).map { _ in try connect(to: listener.localAddress) }
    loop.serve()
    #expect(count == 200)
    for client in clients { client.close() }
    listener.close()
  }

  @Test func listenersThatShareAPortGetTheConnectionsOfTheirProcessors() throws {
    var counts = [0, 0]
    let first = try Listener(loop: loop, address: anyPort, sharedBy: 2) { descriptor, _, _ in
      descriptor.discard()
      counts[0] += 1
    }
    let second = try Listener(loop: loop, address: first.localAddress, sharedBy: 2) { descriptor, _, _ in
      descriptor.discard()
      counts[1] += 1
    }
    for processor in allowedProcessors() {
      counts = [0, 0]
      let clients = try onProcessor(processor) { try (0..<20).map { _ in try connect(to: first.localAddress) } }
      loop.settle(turns: 10)
      #expect(counts == (processor.isMultiple(of: 2) ? [20, 0] : [0, 20]), "on processor \(processor)")
      for client in clients { client.close() }
    }
    first.close()
    second.close()
  }

  @Test func ofListenersThatShareAPortOneMayBeAlone() throws {
    var count = 0
    let listener = try Listener(loop: loop, address: anyPort, sharedBy: 64) { descriptor, _, _ in
      descriptor.discard()
      count += 1
    }
    let clients = try (0..<20).map { _ in try connect(to: listener.localAddress) }
    loop.settle(turns: 10)
    #expect(count == 20, "the others do not listen yet, or any more")
    for client in clients { client.close() }
    listener.close()
  }

  @Test func anAddressInUseIsAnErrorThatSaysSo() throws {
    let listener = try Listener(loop: loop, address: anyPort) { descriptor, _, _ in descriptor.discard() }
    let address = listener.localAddress
    let error = #expect(throws: LoopError.self) {
      _ = try Listener(loop: loop, address: address) { descriptor, _, _ in descriptor.discard() }
    }
    #expect(error?.kind == .addressInUse)
    #expect(error?.message == "bind \(address): Address already in use")
    listener.close()
  }

  @Test func reservingFindsAFreePortAndNoticesOthers() throws {
    let reserved = try Listener.reserve(anyPort)
    #expect(reserved.port != 0)
    #expect(try Listener.reserve(reserved) == reserved, "nothing is left behind")
    let listener = try Listener(loop: loop, address: reserved, sharedBy: 1) { descriptor, _, _ in descriptor.discard() }
    let error = #expect(throws: LoopError.self) { _ = try Listener.reserve(reserved) }
    #expect(error?.kind == .addressInUse, "even when the other would share")
    listener.close()
  }

  @Test func pausedConnectionsWait() throws {
    var count = 0
    let listener = try Listener(loop: loop, address: anyPort) { descriptor, _, _ in
      descriptor.discard()
      count += 1
    }
    listener.pause()
    let client = try connect(to: listener.localAddress)
    loop.settle()
    #expect(count == 0 && !listener.isAccepting)
    listener.resume()
    loop.settle()
    #expect(count == 1 && listener.isAccepting)
    client.close()
    listener.close()
  }

  @Test func mayBePausedOrClosedByItsHandler() throws {
    var count = 0
    var paused: Listener?
    paused = try Listener(loop: loop, address: anyPort) { descriptor, _, _ in
      descriptor.discard()
      count += 1
      if count == 1 { paused?.pause() } else { paused?.close() }
    }
    let address = try #require(paused?.localAddress)
    let clients = try (0..<5).map { _ in try connect(to: address) }
    loop.settle()
    #expect(count == 1)
    paused?.resume()
    loop.settle()
    #expect(count == 2)
    paused = nil
    for client in clients { client.close() }
  }

  /// In a process of its own, whose descriptors can be used up.
  @Test func standsBackWhenDescriptorsRunOutAndComesBack() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let loop = try EventLoop()
      guard let address = SocketAddress(literal: "127.0.0.1", port: 0) else { exit(1) }
      let limit = rlimit(rlim_cur: 64, rlim_max: 64)
      precondition(unsafe withUnsafePointer(to: limit) { unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), $0) } == 0)
      var held: [Int32] = []
      let listener = try Listener(loop: loop, address: address) { descriptor, _, _ in held.append(descriptor.release()) }
      _ = try SystemCalls.connect(tapeline_socket(false), to: listener.localAddress)
      var filler: [Int32] = []
      while true {
        let descriptor = tapeline_eventfd()
        guard descriptor >= 0 else { break }
        filler.append(descriptor)
      }
      loop.settle()
      precondition(held.isEmpty && !listener.isAccepting, "it stands back rather than spin")
      for descriptor in filler { try SystemCalls.close(descriptor) }
      let watch = Timer.repeating(on: loop) { if !held.isEmpty { loop.stop() } }
      loop.run()
      watch.cancel()
      precondition(held.count == 1 && listener.isAccepting)
      exit(42)
    }
  }

  private func connect(to address: SocketAddress) throws -> Peer {
    let socket = FileDescriptor(owning: try SystemCalls.retrying(.socket) { tapeline_socket(address.family == .ipv6) })
    _ = try SystemCalls.connect(socket.rawValue, to: address)
    return Peer(socket)
  }
}
