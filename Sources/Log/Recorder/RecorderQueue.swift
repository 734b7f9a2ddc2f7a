internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineCore
internal import TapelineSystem
internal import TapelineTime

/// Carries exchanges and entries from the loops to the recorder's thread, in pieces, bounded in bytes.
///
/// A loop holds the lock only while it moves one value or copies one small entry, and wakes the recorder only when the recorder
/// has asked for it: at the first exchange after a quiet time, then at most once per batch. While the disk is fast, one piece
/// fills as the other is written; while it is not, more are made, and freed when they are written.
final class RecorderQueue: Sendable {
  private let limit: Int
  /// The same for an exchange with its bodies. The rest is kept for exchanges that have lost theirs: what they say of an exchange
  /// is worth more than a body, and takes less. If the recorder is waited for, from here on exchanges begin no more.
  private let bodyLimit: Int
  /// With so much left, they begin again.
  private let easyLimit: Int
  /// A batch of this size is written at once instead of gathering more.
  private let fullBatchSize: Int
  private let state: Mutex<State>
  private let lag = Atomic<Bool>(false)
  private let wake = DispatchSemaphore(value: 0)

  private struct State {
    var line = BatchLine()
    var batch = RecorderBatch()
    /// For the next batch.
    var spare: RecorderBatch?
    /// Bytes that all batches hold in memory, with the one that the recorder's thread is writing.
    var size = 0
    /// Bytes of that one.
    var takenSize = 0
    /// Exchanges in the batches that wait, and what those have counted as dropped.
    var count = 0
    var missing = MissingCounts()
    var wait = Wait.none
    /// A command or the close is waiting: gathering more would only delay it.
    var isUrgent = false
    var isClosed = false
    /// Whether relayed exchanges are taken in any case: they are held back before they begin.
    var holdsBack: Bool
    /// Called when exchanges may begin again.
    var waiters: [@Sendable () -> Void] = []
    /// The current page.
    var page = PageID(number: max(1, UInt64(clamping: ProcessRestart.word(.page))))

    /// Bytes that nobody has taken.
    var waitingSize: Int { size - takenSize }

    mutating func note(_ added: Int) {
      size += added
      count += 1
      guard batch.isComplete else { return }
      line.append(batch)
      batch = spare.take() ?? .roomy()
    }

    /// Exchanges a cleared batch for the oldest one.
    mutating func exchange(_ taken: inout RecorderBatch) {
      if let next = line.next() {
        if spare == nil { spare = taken }
        taken = next
      } else {
        swap(&batch, &taken)
        taken.isLast = isClosed
        isUrgent = false
      }
      taken.isFollowed = !line.isEmpty
      takenSize = taken.size
      count -= taken.items.count
      missing.bodies -= taken.droppedBodies
      missing.exchanges -= taken.droppedRecords
    }
  }

  /// The event that the sleeping recorder's thread waits for. The first thread to wake it resets this, so that no other does.
  private enum Wait {
    case none
    case anything
    case fullBatch
    case close
  }

  /// - Parameters:
  ///   - limit: the most bytes that may wait. A single exchange is always accepted.
  ///   - overload: what happens beyond it.
  init(limit: Int, overload: OverloadPolicy = .drop, fullBatchSize: Int = 512 << 10) {
    self.limit = limit
    bodyLimit = limit - limit / 4
    easyLimit = limit / 2
    self.fullBatchSize = min(fullBatchSize, limit / 2)
    state = Mutex(State(holdsBack: overload != .drop))
  }

  /// Callable from any thread. `false` if the queue is full: then put the exchange itself.
  ///
  /// - Parameter entry: moved into the queue. A copy would count its references.
  func put(_ entry: inout MadeEntry?, _ text: Span<UInt8>) -> Bool {
    let size = RecorderBatch.size(of: text)
    let isWakeNeeded: Bool? = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.isClosed else { return false }
      guard state.size + size <= limit || state.holdsBack && entry?.isRelayed == true, let entry = entry.take() else {
        return nil
      }
      state.batch.append(entry, text)
      return wakes(&state, added: size)
    }
    if isWakeNeeded == true { wake.signal() }
    return isWakeNeeded != nil
  }

  /// Callable from any thread. When the queue is full, it drops the bodies or the whole exchange; both are counted.
  func put(_ draft: RecordDraft) {
    let (bareSize, bodySize, isRelayed) = draft.lend { ($0.bareSize, $0.keptBodySize, $0.isRelayed) }
    var size = bareSize + bodySize
    let isWakeNeeded = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.isClosed else { return false }
      if state.waitingSize > 0, !(state.holdsBack && isRelayed) {
        guard state.size + bareSize <= limit else {
          state.batch.droppedRecords += 1
          state.missing.exchanges += 1
          // The batch may get nothing else for long.
          state.isUrgent = true
          return wakes(&state)
        }
        if bodySize > 0, state.size + size > bodyLimit {
          state.batch.droppedBodies += 1
          state.missing.bodies += 1
          draft.record.dropBodies()
          size = bareSize
        }
      }
      state.batch.append(draft, size: size)
      return wakes(&state, added: size)
    }
    if isWakeNeeded { wake.signal() }
  }

  /// Callable from any thread.
  var backlog: RecorderBacklog {
    state.withLock { state in
      RecorderBacklog(
        exchanges: state.count, bytes: state.size, limit: limit, holdsBack: state.holdsBack, droppedBodies: state.missing.bodies,
        droppedRecords: state.missing.exchanges)
    }
  }

  // MARK: Holding back

  /// Callable from any thread, without the lock: whether exchanges must not begin.
  var lagsBehind: Bool { lag.load(ordering: .relaxed) }

  /// Callable from any thread. `proceed` is called once, on any thread, when the queue does not lag behind any more.
  func awaitRoom(_ proceed: @escaping @Sendable () -> Void) {
    let isThere = state.withLock { state in
      if lagsBehind { state.waiters.append(proceed) }
      return !lagsBehind
    }
    if isThere { proceed() }
  }

  /// For the recorder's thread: from now on, what does not fit is dropped.
  func endHoldingBack() {
    let waiters = state.withLock { state in
      state.holdsBack = false
      return catchUp(&state)
    }
    for proceed in waiters { proceed() }
  }

  /// Ends the lag.
  ///
  /// - Returns: who is to be told.
  private func catchUp(_ state: inout State) -> [@Sendable () -> Void] {
    lag.store(false, ordering: .relaxed)
    defer { state.waiters = [] }
    return state.waiters
  }

  // MARK: Commands

  /// Callable from any thread: exchanges that were put before belong to the old file.
  func requestRotation() {
    _ = hurry { $0.batch.append(.rotate) }
  }

  /// Callable from any thread: exchanges that begin from now on belong to the page.
  func beginPage(title: String) -> PageID {
    var id = PageID.first
    _ = hurry { state in
      // The instant is read under the lock: exchanges that were put before began before.
      state.page = state.page.next
      ProcessRestart.keep(state.page.number, as: .page)
      id = state.page
      state.batch.append(.begin(RecordedPage(id: id, title: title, began: .now)))
    }
    return id
  }

  /// Callable from any thread: the command comes after everything put before. `false` when the queue is closed.
  func put(_ command: RecorderCommand) -> Bool {
    hurry { $0.batch.append(command) }
  }

  /// Callable from any thread: everything put before is written; later exchanges are not accepted.
  func close() {
    var waiters: [@Sendable () -> Void] = []
    _ = hurry { state in
      state.isClosed = true
      swap(&waiters, &state.waiters)
    }
  }

  /// `false` when the queue is closed; `change` has not run then.
  private func hurry(_ change: (inout State) -> Void) -> Bool {
    let isWakeNeeded: Bool? = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.isClosed else { return nil }
      change(&state)
      state.isUrgent = true
      return wakes(&state)
    }
    if isWakeNeeded == true { wake.signal() }
    return isWakeNeeded != nil
  }

  // MARK: Waking

  /// Counts what was added to the batch, and says as below whether to wake the recorder.
  private func wakes(_ state: inout State, added size: Int) -> Bool {
    state.note(size)
    if state.holdsBack, state.size >= bodyLimit { lag.store(true, ordering: .relaxed) }
    return wakes(&state)
  }

  /// Whether the recorder waits for what the batch now contains; if so, the caller must wake the recorder.
  private func wakes(_ state: inout State) -> Bool {
    switch state.wait {
    case .none: return false
    case .anything: break
    case .fullBatch:
      guard state.isUrgent || state.waitingSize >= fullBatchSize else { return false }
    case .close:
      guard state.isClosed else { return false }
    }
    state.wait = .none
    return true
  }

  // MARK: The recorder's thread

  /// For the recorder's thread only: gathers until `deadline` or until a batch is full, then waits as long as the queue is empty.
  ///
  /// Pass `batch` in cleared, when it is written; it comes back filled: two batches change places and no memory is allocated. At
  /// `duty` it may come back empty.
  func take(into batch: inout RecorderBatch, gatheringUntil deadline: DispatchTime, duty: DispatchTime?) {
    while true {
      let now = DispatchTime.now()
      let isPast = now >= deadline
      let isDutyDue = duty.map { now >= $0 } ?? false
      let (wait, waiters) = state.withLock { state in
        tapeline_lock_taken()
        defer { tapeline_lock_released() }
        state.size -= state.takenSize
        state.takenSize = 0
        let waiters = lagsBehind && state.size <= easyLimit ? catchUp(&state) : []
        let isReady = state.isUrgent || state.size >= fullBatchSize || (isPast && state.size > 0) || isDutyDue
        if isReady {
          state.exchange(&batch)
          state.wait = .none
        } else {
          state.wait = isPast ? .anything : .fullBatch
        }
        return (state.wait, waiters)
      }
      for proceed in waiters { proceed() }
      switch wait {
      case .none: return
      case .anything:
        if let duty { _ = wake.wait(timeout: duty) } else { wake.wait() }
      case .fullBatch, .close: _ = wake.wait(timeout: deadline)
      }
    }
  }

  /// For the recorder's thread only: waits for this time, or until the queue is closed.
  ///
  /// - Returns: whether it is still open.
  func rest(for time: DispatchTimeInterval) -> Bool {
    let isOpen = state.withLock { state in
      if !state.isClosed { state.wait = .close }
      return !state.isClosed
    }
    guard isOpen else { return false }
    _ = wake.wait(timeout: .now() + time)
    return state.withLock { state in
      state.wait = .none
      return !state.isClosed
    }
  }
}

/// The exchanges that wait in a recorder's queue.
package struct RecorderBacklog: Sendable, Hashable {
  package let exchanges: Int
  /// The memory that they take, with those that are being written.
  package let bytes: Int
  /// The limit in bytes: beyond three quarters of it, the queue drops bodies, beyond it whole exchanges.
  package let limit: Int
  /// Whether, in place of that, exchanges begin later.
  package let holdsBack: Bool
  /// Counts of what was dropped since the recorder last took something.
  package let droppedBodies: UInt64
  package let droppedRecords: UInt64
}
