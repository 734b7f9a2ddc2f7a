internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineSystem
internal import TapelineBase

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

/// Lookups that wait for a thread of the resolver: bounded, first come, first served.
final class LookupQueue: Sendable {
  private struct State: Sendable {
    var waiting: [Lookup] = []
    /// `waiting[..<head]` has been taken.
    var head = 0
    var isClosed = false

    mutating func takeFirst() -> Lookup? {
      guard !isClosed, head < waiting.count else { return nil }
      let lookup = waiting[head]
      head += 1
      if head == waiting.count || head > 1024 {
        waiting.removeFirst(head)
        head = 0
      }
      return lookup
    }
  }

  private let limit: Int
  private let state = Mutex(State())
  /// Counts the waiting lookups; `close` adds one more signal, which every thread passes on.
  private let available = DispatchSemaphore(value: 0)

  init(limit: Int) {
    self.limit = limit
  }

  /// Returns whether there was room. From any thread.
  func add(_ lookup: Lookup) -> Bool {
    let isAdded = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.isClosed, state.waiting.count - state.head < limit else { return false }
      state.waiting.append(lookup)
      return true
    }
    if isAdded { available.signal() }
    return isAdded
  }

  /// Waits for the next lookup; `nil` once the queue is closed. On the resolver's threads.
  func next() -> Lookup? {
    available.wait()
    let lookup = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      return state.takeFirst()
    }
    // Every thread must see the end.
    if lookup == nil { available.signal() }
    return lookup
  }

  /// Drops the waiting lookups and lets the threads end. Idempotent.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
      state.head = 0
    }
    available.signal()
  }
}

/// One question to the resolver.
package final class Lookup: Sendable {
  typealias Completion = (Result<[SocketAddress], LoopError>) -> Void

  let host: String
  private let port: UInt16
  private let completion: LoopBound<Completion>
  private let isCancelled = Atomic<Bool>(false)

  init(host: String, port: UInt16, completion: LoopBound<Completion>) {
    self.host = host
    self.port = port
    self.completion = completion
  }

  /// Prevents the call of the completion. On the completion's loop only, so that no answer can slip past the cancellation.
  package func cancel() {
    completion.loop.preconditionCurrent()
    isCancelled.store(true, ordering: .relaxed)
  }

  /// Asks the system and waits for the answer. On a thread of the resolver.
  func perform() {
    guard !isCancelled.load(ordering: .relaxed) else { return }
    answer(resolve())
  }

  /// Sends the answer to the loop. From any thread.
  func answer(_ result: Result<[SocketAddress], LoopError>) {
    completion.loop.execute { [self] in
      guard !isCancelled.load(ordering: .relaxed) else { return }
      completion.value(result)
    }
  }

  private func resolve() -> Result<[SocketAddress], LoopError> {
    // `localhost` must resolve on a machine without any network, so it is looked up without the filter by configured families,
    // which ignores the loopback interface. Names below it are the loopback, too, whatever a name server says (RFC 6761 6.3):
    // curl and browsers do not ask.
    let isLocal = Host(host).isLocalhost
    do throws(ResolverError) {
      let addresses = try SystemCalls.resolve(isLocal ? "localhost" : host, port: port, onlyConfiguredFamilies: !isLocal)
        .map { SocketAddress($0) }
      return .success(isLocal ? Self.loopback(among: addresses, port: port) : addresses)
    } catch {
      return isLocal ? .success(Self.loopback(among: [], port: port)) : .failure(LoopError(error, host: host))
    }
  }

  /// The loopback's addresses, as the hosts file orders them; both if it has none.
  private static func loopback(among addresses: [SocketAddress], port: UInt16) -> [SocketAddress] {
    let local = addresses.filter(\.isLoopback)
    return local.isEmpty ? ["127.0.0.1", "::1"].compactMap { SocketAddress(literal: $0, port: port) } : local
  }
}

extension LoopError {
  fileprivate init(_ error: ResolverError, host: String) {
    switch error {
    case .notFound(let cause): self.init(.nameNotFound, "look up \(host): \(cause)")
    case .failed(let cause): self.init(.resolverFailure, "look up \(host): \(cause)")
    }
  }
}

/// A value that one thread waits for and another sends, once.
final class Reply<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let sent = DispatchSemaphore(value: 0)

  func send(_ value: Value) {
    self.value.withLock { $0 = value }
    sent.signal()
  }

  func wait() -> Value {
    sent.wait()
    guard let value = value.withLock({ $0 }) else {
      preconditionFailure("a reply was awaited twice or never sent")
    }
    return value
  }
}
