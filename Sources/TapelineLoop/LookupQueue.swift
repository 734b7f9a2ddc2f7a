internal import CTapeline
internal import Dispatch
internal import Synchronization

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
