package import TapelineSystem
package import TapelineTime

/// Accepts TCP connections on one address. Loop-bound.
///
/// If the process runs out of descriptors or the kernel out of memory, it stops accepting and tries again after a while or on
/// `resume()`: connections wait in the kernel's queue, and the loop does not spin on a listener that it cannot serve.
package final class Listener {
  /// Takes ownership of a connection: its descriptor (non-blocking, without Nagle's delay), its peer, and the time of acceptance.
  /// Clients of a local socket have no address.
  package typealias AcceptHandler = (consuming FileDescriptor, SocketAddress?, MonotonicInstant) -> Void

  let loop: EventLoop
  /// With the actual port if port 0 was requested; 0.0.0.0:0 for a local socket.
  package let localAddress: SocketAddress
  private let onAccept: AcceptHandler
  private let isLocal: Bool
  private var descriptor: FileDescriptor?
  /// Under which the descriptor outlives a crash; `nil` if it does not.
  private let keptName: String?
  private var registration: EventRegistration?
  private var isPaused = false
  private var retry: Timer?

  /// Connections accepted per readiness, so that a burst does not starve the existing connections.
  private static let batch = 64
  private static let retryPause = Duration.milliseconds(100)

  /// Listens at once.
  ///
  /// - Parameter sharedBy: how many listeners of this user share the address, this one among them, if it is shared. Each gets the
  ///   connections that come on its processors, in the order in which they were made: so the connections of one of a client's
  ///   threads have one loop, which it wakes once for many messages.
  ///   - keptName: under which its socket outlives a crash, with the connections that wait in it (`ProcessRestart`).
  package init(
    loop: EventLoop, address: SocketAddress, backlog: Int32 = 1024, sharedBy count: Int? = nil, keptName: String? = nil,
    onAccept: @escaping AcceptHandler
  ) throws(LoopError) {
    loop.preconditionCurrent()
    self.loop = loop
    self.onAccept = onAccept
    self.keptName = keptName
    if let kept = keptName.flatMap(ProcessRestart.descriptor) {
      localAddress = try Self.address(of: kept)
      isLocal = false
      descriptor = FileDescriptor(owning: kept)
      register()
      return
    }
    let socket = try BoundSocket(address, reusePort: count != nil, stampsArrivals: loop.clock == .wire)
    localAddress = socket.address
    isLocal = false
    let listening = try socket.listen(backlog: backlog)
    if let count, count > 1 {
      do throws(SystemCallError) {
        try SystemCalls.distributeByProcessor(listening.rawValue, among: count)
      } catch {
        // The kernel distributes them by a hash of the addresses.
      }
    }
    if let keptName { ProcessRestart.keep(listening.rawValue, as: keptName) }
    descriptor = consume listening
    register()
  }

  private static func address(of socket: Int32) throws(LoopError) -> SocketAddress {
    do throws(SystemCallError) {
      return try SystemCalls.localAddress(of: socket)
    } catch {
      throw LoopError(error)
    }
  }

  /// Accepts the connections of a socket that listens already, and that other loops accept from as well.
  package init(loop: EventLoop, sharing socket: SharedListeningSocket, onAccept: @escaping AcceptHandler) throws(LoopError) {
    loop.preconditionCurrent()
    self.loop = loop
    self.onAccept = onAccept
    keptName = nil
    isLocal = socket.isLocal
    localAddress = socket.name
    let shared = try socket.duplicate()
    if !isLocal {
      do throws(SystemCallError) {
        try SystemCalls.prepareConnections(on: shared.rawValue)
        if loop.clock == .wire { SystemCalls.stampArrivals(on: shared.rawValue) }
      } catch {
        // It accepts as well as its owner has made it.
      }
    }
    descriptor = consume shared
    register()
  }

  deinit {
    assert(descriptor == nil, "a listener was dropped without being closed")
  }

  /// The address itself or, for port 0, a free port there. Fails if any socket listens on it, shared or not.
  ///
  /// If listeners share a port, a second process of the same user could join unnoticed: this check comes first.
  ///
  /// - Parameter keptName: of a listener that may have outlived a crash: then its address.
  package static func reserve(_ address: SocketAddress, keptName: String? = nil) throws(LoopError) -> SocketAddress {
    if let kept = keptName.flatMap(ProcessRestart.descriptor) { return try Self.address(of: kept) }
    let socket = try BoundSocket(address, reusePort: false)
    let reserved = socket.address
    try socket.listen(backlog: 1).discard()
    return reserved
  }

  package var isAccepting: Bool { registration?.isAdded ?? false }

  /// Stops accepting; connections wait in the kernel's queue. Idempotent.
  package func pause() {
    loop.preconditionCurrent()
    isPaused = true
    registration?.remove()
  }

  /// Accepts (again), also after descriptors ran out. Idempotent.
  package func resume() {
    loop.preconditionCurrent()
    isPaused = false
    retry?.cancel()
    registration?.add()
  }

  /// Stops listening. Idempotent.
  package func close() {
    loop.preconditionCurrent()
    retry = nil
    // The event is removed before its descriptor.
    registration = nil
    if descriptor != nil, let keptName { ProcessRestart.forget(keptName) }
    descriptor.take()?.discard()
  }

  func didBecomeReadable() {
    for _ in 0..<Self.batch {
      guard isAccepting, acceptOne() else { return }
    }
  }

  /// Returns whether to try another.
  private func acceptOne() -> Bool {
    guard let listening = descriptor?.rawValue else { return false }
    do throws(SystemCallError) {
      guard let (accepted, peer) = try SystemCalls.accept(listening) else { return false }
      onAccept(FileDescriptor(owning: accepted), isLocal ? nil : peer, .now)
      return true
    } catch {
      switch LoopError.Kind(code: error.code) {
      case .refused, .reset, .unreachable, .timedOut, .permissionDenied:
        // accept(2) reports network errors of the waiting connection; that connection is gone, and the next may be fine.
        return true
      case .tooManyFiles, .nameNotFound, .resolverFailure, .resolverBusy, .prohibited, .tooLate, .addressInUse,
        .addressNotAvailable, .cancelled, .other:
        // Whatever the cause, an immediate retry would fail again.
        standBack()
        return false
      }
    }
  }

  private func standBack() {
    registration?.remove()
    let timer =
      retry
      ?? Timer(loop: loop) { [unowned self] in
        if !isPaused { registration?.add() }
      }
    timer.start(after: Self.retryPause)
    retry = timer
  }

  private func register() {
    guard let descriptor = descriptor?.rawValue else { return }
    registration = EventRegistration(readable: descriptor, for: self)
    registration?.add()
  }
}

/// A TCP socket that is bound to a local address and does not listen yet.
struct BoundSocket: ~Copyable {
  private let descriptor: FileDescriptor
  /// With the actual port if port 0 was requested.
  let address: SocketAddress

  init(_ wanted: SocketAddress, reusePort: Bool, stampsArrivals: Bool = false) throws(LoopError) {
    do throws(SystemCallError) {
      let socket = FileDescriptor(owning: try SystemCalls.makeSocket(isIPv6: wanted.family == .ipv6))
      do throws(SystemCallError) {
        if stampsArrivals { SystemCalls.stampArrivals(on: socket.rawValue) }
        address = try Self.bind(socket.rawValue, to: wanted, reusePort: reusePort)
      } catch {
        socket.discard()
        throw error
      }
      descriptor = socket
    } catch {
      throw LoopError(error, subject: wanted.description)
    }
  }

  consuming func listen(backlog: Int32) throws(LoopError) -> FileDescriptor {
    let address = address
    let descriptor = descriptor
    do throws(SystemCallError) {
      try SystemCalls.listen(descriptor.rawValue, backlog: backlog)
    } catch {
      descriptor.discard()
      throw LoopError(error, subject: address.description)
    }
    return descriptor
  }

  static func bind(_ socket: Int32, to wanted: SocketAddress, reusePort: Bool) throws(SystemCallError) -> SocketAddress {
    // Allows listening on a port that still has connections in TIME_WAIT.
    try SystemCalls.setReuseAddress(socket)
    if reusePort { try SystemCalls.setReusePort(socket) }
    // `[::]` in addition to `0.0.0.0`, not instead of it.
    if wanted.family == .ipv6 { try SystemCalls.setIPv6Only(socket) }
    // Linux passes them on to accepted sockets: set once here instead of for each connection.
    try SystemCalls.prepareConnections(on: socket)
    try SystemCalls.bind(socket, to: wanted.fenced)
    return try SystemCalls.localAddress(of: socket)
  }
}
