internal import Synchronization
internal import TapelineSystem

/// Finds the addresses of names with `getaddrinfo`, so that the hosts file and NSS give the answer that the client would see.
///
/// `getaddrinfo` blocks, so a few threads of the resolver do the waiting. Lookups queue up to a limit; a cancelled lookup is not
/// started, or its answer is dropped.
package final class Resolver: Sendable {
  private let queue: LookupQueue
  /// Emptied by `shutdown()`.
  private let threads: Mutex<[SystemThread]>

  package init(threads count: Int = 4, queueLimit: Int = 4096) throws(LoopError) {
    let queue = LookupQueue(limit: queueLimit)
    self.queue = queue
    var threads: [SystemThread] = []
    do throws(SystemCallError) {
      for index in 0..<count {
        threads.append(
          try SystemThread(name: "tapeline-dns-\(index)") {
            while let lookup = queue.next() { lookup.perform() }
          })
      }
    } catch {
      queue.close()
      for thread in threads { thread.join() }
      throw LoopError(error)
    }
    self.threads = Mutex(threads)
  }

  deinit {
    shutdown()
  }

  /// Asks for the addresses of `host`, each with `port`. The answer comes on `loop`, never inside this call, and not after
  /// `cancel()` on the returned lookup. On `loop` only.
  ///
  /// The addresses are in the resolver's order (RFC 6724), at least one.
  package func resolve(
    _ host: String, port: UInt16, on loop: EventLoop,
    completion: @escaping (Result<[SocketAddress], LoopError>) -> Void
  ) -> Lookup {
    loop.preconditionCurrent()
    let lookup = Lookup(host: host, port: port, completion: LoopBound(completion, on: loop))
    if !queue.add(lookup) {
      lookup.answer(.failure(LoopError(.resolverBusy, "too many lookups wait for the resolver")))
    }
    return lookup
  }

  /// Drops the waiting lookups. Does not wait for lookups in progress: a name server may take its time, and their answers go to
  /// loops that drop them. Later calls do nothing, and later lookups fail.
  package func shutdown() {
    queue.close()
    let threads = threads.withLock { threads in
      let running = threads
      threads = []
      return running
    }
    for thread in threads { thread.detach() }
  }
}
