internal import Synchronization

/// Operations that run one at a time in the order added, not before the queue is opened: the gate that fixes
/// *end time < every serializer < every handler* however handlers are chained.
///
/// It starts suspended. Opening it on its loop runs what is queued there, at once; an operation added later runs on the loop
/// too, later. It allocates nothing until an operation is added.
public struct SerialOperationQueue: ~Copyable, Sendable {
  package typealias Operation = @Sendable () -> Void

  /// Not private: Swift 6.3.1 crashes on the private metadata of a mutex in a noncopyable type.
  struct State: Sendable {
    var isSuspended = true
    var isDraining = false
    var operations: [Operation] = []

    mutating func beginDraining() -> Bool {
      guard !isSuspended, !isDraining, !operations.isEmpty else { return false }
      isDraining = true
      return true
    }

    mutating func next() -> Operation? {
      guard !operations.isEmpty else {
        isDraining = false
        return nil
      }
      return operations.removeFirst()
    }
  }

  private let state = Mutex(State())

  package init() {}

  public var isSuspended: Bool {
    state.withLock { $0.isSuspended }
  }

  /// Adds an operation. Answers whether the queue is open and idle, and so wants `drain()` on its loop.
  package func addOperation(_ operation: @escaping Operation) -> Bool {
    state.withLock { state in
      state.operations.append(operation)
      return !state.isSuspended && !state.isDraining
    }
  }

  /// Opens the gate and runs what waits. Opening it again does nothing.
  package func open() {
    let wasSuspended = state.withLock { state in
      defer { state.isSuspended = false }
      return state.isSuspended
    }
    if wasSuspended { drain() }
  }

  /// Runs what waits, in order, outside the lock: an operation may add another.
  package func drain() {
    guard state.withLock({ $0.beginDraining() }) else { return }
    while let operation = state.withLock({ $0.next() }) {
      operation()
    }
  }
}
