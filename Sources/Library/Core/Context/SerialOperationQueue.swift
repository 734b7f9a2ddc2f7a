internal import Synchronization

/// Operations that run one at a time in the order added, not before the queue is opened: the gate that fixes
/// *end time < every serializer < every handler* however handlers are chained.
///
/// It starts suspended. Opening it on its loop runs the queued operations there, at once; an operation added later runs on the
/// loop too, later. Until an operation is added it allocates nothing and takes no lock.
public struct SerialOperationQueue: ~Copyable, Sendable {
  package typealias Operation = @Sendable () -> Void

  /// Not private: Swift 6.3.1 crashes on the private metadata of a mutex in a noncopyable type.
  struct State: Sendable {
    var isSuspended = true
    var isDraining = false
    var operations: [Operation] = []
    /// Schedules draining the queue on its loop.
    var wake: Operation?

    mutating func beginDraining() -> Bool {
      guard !isSuspended, !isDraining, !operations.isEmpty else { return false }
      isDraining = true
      return true
    }

    mutating func next() -> Operation? {
      guard !isSuspended, !operations.isEmpty else {
        isDraining = false
        return nil
      }
      return operations.removeFirst()
    }
  }

  /// The part of the state that is known without the lock.
  enum Use: UInt8, AtomicRepresentable {
    /// Suspended since the beginning, and no operation was ever added.
    case fresh
    /// Opened before any operation was added.
    case opened
    /// `state` has the truth.
    case inState
  }

  private let use = Atomic(Use.fresh)
  private let state = Mutex(State())

  package init() {}

  /// Whether nothing runs yet.
  public var isSuspended: Bool {
    switch use.load(ordering: .acquiring) {
    case .fresh: true
    case .opened: false
    case .inState: state.withLock { $0.isSuspended }
    }
  }

  /// Adds an operation, from any thread. It runs on the session's loop, where it must not wait: once the request has ended,
  /// before its serializers; at once, if it has ended already. Operations run one at a time, in the order added.
  @preconcurrency
  public func addOperation(_ operation: @escaping @Sendable () -> Void) {
    guard enqueue(operation) else { return }
    if let wake = state.withLock({ $0.wake }) { wake() } else { drain() }
  }

  /// Sets how `addOperation` drains an open queue: on its loop, later. Without this, the queue is drained where the operation
  /// is added.
  func onWake(_ wake: @escaping @Sendable () -> Void) {
    state.withLock { $0.wake = wake }
  }

  /// Adds an operation. Returns whether the queue is open and idle, and so wants `drain()` on its loop.
  package func enqueue(_ operation: @escaping Operation) -> Bool {
    state.withLock { state in
      adopt(into: &state)
      state.operations.append(operation)
      return !state.isSuspended && !state.isDraining
    }
  }

  /// Opens the gate and runs the waiting operations. Opening it again does nothing. On the loop.
  public func open() {
    let (isFresh, _) = use.compareExchange(expected: .fresh, desired: .opened, ordering: .acquiringAndReleasing)
    if isFresh { return }
    let wasSuspended = state.withLock { state in
      adopt(into: &state)
      defer { state.isSuspended = false }
      return state.isSuspended
    }
    if wasSuspended { drain() }
  }

  /// Closes the gate, for another attempt. Waiting operations keep waiting.
  package func suspend() {
    state.withLock { state in
      adopt(into: &state)
      state.isSuspended = true
    }
  }

  /// Runs the waiting operations, in order, outside the lock: an operation may add another.
  package func drain() {
    guard state.withLock({ $0.beginDraining() }) else { return }
    while let operation = state.withLock({ $0.next() }) {
      operation()
    }
  }

  /// From here on, `state` has the truth.
  private func adopt(into state: inout State) {
    if use.exchange(.inState, ordering: .acquiringAndReleasing) == .opened { state.isSuspended = false }
  }
}
