internal import Dispatch
internal import TapelineLoop
internal import TapelineTransport

/// The parts that a session of the library does not share: a loop on its own thread, a resolver, and the transport between them.
final class NetworkThread: Sendable {
  let loop: EventLoop
  let transport: LoopBound<NetworkTransport>
  private let group: EventLoopGroup
  private let resolver: Resolver

  /// - Throws: when the process has no more threads or descriptors.
  init(configuration: NetworkTransport.Configuration) throws(LoopError) {
    let group = try EventLoopGroup(threads: 1)
    let loop = group.loops[0]
    let resolver: Resolver
    do throws(LoopError) {
      resolver = try Resolver(threads: 2)
    } catch {
      group.shutdown()
      throw error
    }
    transport = loop.executeAndWait {
      LoopBound(NetworkTransport(loop: loop, resolver: resolver, configuration: configuration), on: loop)
    }
    self.group = group
    self.loop = loop
    self.resolver = resolver
  }

  /// Ends the thread, from another thread: the last reference may be released on the loop, which cannot wait for its own end.
  func end() {
    DispatchQueue.global(qos: .utility).async { [self] in
      loop.execute { [transport] in transport.value.shutdown() }
      resolver.shutdown()
      group.shutdown()
    }
  }
}
