internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineCore
internal import TapelineTime

/// Exchanges on their way from the loops to the recorder's thread, bounded in bytes.
///
/// A loop holds the lock for as long as it takes to move one value, and wakes the recorder only when that has asked for it:
/// at the first exchange after a quiet time, then at most once per batch.
final class RecorderQueue: Sendable {
  private let limit: Int
  /// So much waiting is written at once rather than gathered further.
  private let fullBatchSize: Int
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)

  private struct State {
    var batch = RecorderBatch()
    /// Bytes that `batch` holds in memory.
    var size = 0
    var wait = Wait.none
    /// A command or the end waits: gathering more would only delay it.
    var isUrgent = false
    /// The current one.
    var page = PageID.first

    mutating func append(_ command: RecorderCommand) {
      batch.commands.append(RecorderBatch.Step(position: batch.records.count, command: command))
    }
  }

  /// What the recorder's thread sleeps for. Who wakes it takes the note away, so that nobody else does.
  private enum Wait {
    case none
    case anything
    case fullBatch
  }

  /// - Parameter limit: the most bytes that wait. One exchange is always let in.
  init(limit: Int, fullBatchSize: Int = 256 << 10) {
    self.limit = limit
    self.fullBatchSize = min(fullBatchSize, limit / 2)
  }

  /// From any thread. When there is no room, the exchange goes without its bodies, or not at all; both are counted.
  func put(_ record: consuming ExchangeRecord) {
    let bareSize = record.bareSize
    var size = bareSize + record.keptBodySize
    // Moved into the batch, not copied: it refers to some twenty things.
    var waiting: ExchangeRecord? = consume record
    let isWakeNeeded = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.batch.isLast else { return false }
      if state.size > 0, state.size + size > limit {
        guard state.size + bareSize <= limit else {
          state.batch.droppedRecords += 1
          return wakes(&state)
        }
        state.batch.droppedBodies += size > bareSize ? 1 : 0
        waiting?.dropBodies()
        size = bareSize
      }
      state.size += size
      if let record = waiting.take() { state.batch.records.append(record) }
      return wakes(&state)
    }
    if isWakeNeeded { wake.signal() }
  }

  /// From any thread.
  var backlog: RecorderBacklog {
    state.withLock { RecorderBacklog(exchanges: $0.batch.records.count, bytes: $0.size, limit: limit) }
  }

  /// From any thread: what was put before belongs to the old file.
  func requestRotation() {
    _ = hurry { $0.append(.rotate) }
  }

  /// From any thread: exchanges that begin from now on belong to the page.
  func beginPage(title: String) -> PageID {
    var id = PageID.first
    _ = hurry { state in
      // The instant is read under the lock: what was put before began before.
      state.page = state.page.next
      id = state.page
      state.append(.begin(RecordedPage(id: id, title: title, began: .now)))
    }
    return id
  }

  /// From any thread: the command comes behind what was put before. `false` when there is nobody any more who would do it.
  func put(_ command: RecorderCommand) -> Bool {
    hurry { $0.append(command) }
  }

  /// From any thread: what was put before is written, what comes later is not taken.
  func close() {
    _ = hurry { $0.batch.isLast = true }
  }

  /// `false` when the queue is closed, and nothing was done.
  private func hurry(_ change: (inout State) -> Void) -> Bool {
    let isWakeNeeded: Bool? = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.batch.isLast else { return nil }
      change(&state)
      state.isUrgent = true
      return wakes(&state)
    }
    if isWakeNeeded == true { wake.signal() }
    return isWakeNeeded != nil
  }

  /// Whether the recorder waits for what there is now; the caller must then wake it.
  private func wakes(_ state: inout State) -> Bool {
    switch state.wait {
    case .none: return false
    case .anything: break
    case .fullBatch:
      guard state.isUrgent || state.size >= fullBatchSize else { return false }
    }
    state.wait = .none
    return true
  }

  /// The recorder's thread only: gathers until `deadline` or until a batch is full, then waits for as long as there is nothing.
  ///
  /// `batch` comes back cleared and leaves full: two arrays change places and no memory is allocated. At `duty` it leaves even
  /// if there is nothing.
  func take(into batch: inout RecorderBatch, gatheringUntil deadline: DispatchTime, duty: DispatchTime?) {
    while true {
      let now = DispatchTime.now()
      let isPast = now >= deadline
      let isDutyDue = duty.map { now >= $0 } ?? false
      let wait = state.withLock { state in
        tapeline_lock_taken()
        defer { tapeline_lock_released() }
        let isReady = state.isUrgent || state.size >= fullBatchSize || (isPast && state.size > 0) || isDutyDue
        if isReady {
          swap(&state.batch, &batch)
          // A batch that is the last stays so for those who come later.
          state.batch.isLast = batch.isLast
          state.size = 0
          state.isUrgent = false
          state.wait = .none
        } else {
          state.wait = isPast ? .anything : .fullBatch
        }
        return state.wait
      }
      switch wait {
      case .none: return
      case .anything:
        if let duty { _ = wake.wait(timeout: duty) } else { wake.wait() }
      case .fullBatch: _ = wake.wait(timeout: deadline)
      }
    }
  }
}
