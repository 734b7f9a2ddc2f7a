internal import CTapeline
internal import Dispatch
internal import Synchronization
internal import TapelineCore
internal import TapelineHTTP
internal import TapelineSystem
internal import TapelineText
internal import TapelineTime

/// Carries exchanges and entries from the loops to the recorder's thread, bounded in bytes.
///
/// A loop holds the lock only while it moves one value or copies one small entry, and wakes the recorder only when the recorder
/// has asked for it: at the first exchange after a quiet time, then at most once per batch.
final class RecorderQueue: Sendable {
  private let limit: Int
  /// The same for an exchange with its bodies. The rest is kept for exchanges that have lost theirs: what they say of an exchange
  /// is worth more than a body, and takes less.
  private let bodyLimit: Int
  /// A batch of this size is written at once instead of gathering more.
  private let fullBatchSize: Int
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  /// Exchanges that the recorder has taken and holds back.
  private let held = Atomic(0)

  private struct State {
    var batch = RecorderBatch()
    /// Bytes that `batch` holds in memory.
    var size = 0
    var wait = Wait.none
    /// A command or the close is waiting: gathering more would only delay it.
    var isUrgent = false
    /// The current page.
    var page = PageID(number: max(1, UInt64(clamping: ProcessRestart.word(.page))))
    /// One for each inlet.
    var inlets: [KeptExchanges] = []

    /// What ended before has been put. What ended at this instant is the oldest that a loop keeps.
    var horizon: MonotonicInstant? {
      inlets.compactMap(\.instant).min()
    }

    mutating func append(_ command: RecorderCommand) {
      batch.commands.append(RecorderBatch.Step(position: batch.items.count, command: command))
    }
  }

  /// The event that the sleeping recorder's thread waits for. The first thread to wake it resets this, so that no other does.
  private enum Wait {
    case none
    case anything
    case fullBatch
  }

  /// - Parameter limit: the most bytes that may wait. A single exchange is always accepted.
  init(limit: Int, fullBatchSize: Int = 512 << 10) {
    self.limit = limit
    bodyLimit = limit - limit / 4
    self.fullBatchSize = min(fullBatchSize, limit / 2)
  }

  /// Callable from any thread: there is one more loop that keeps exchanges for a while.
  func addInlet() -> KeptExchanges {
    let inlet = KeptExchanges()
    state.withLock { $0.inlets.append(inlet) }
    return inlet
  }

  /// Callable from any thread. `false` if the queue is full: then put the exchange itself.
  ///
  /// - Parameter entry: moved into the queue. A copy would count its references.
  func put(_ entry: inout MadeEntry?, _ text: Span<UInt8>, endedAt instant: MonotonicInstant) -> Bool {
    let isWakeNeeded: Bool? = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.batch.isLast else { return false }
      guard state.size + text.count <= limit, let entry = entry.take() else { return nil }
      state.size += text.count
      state.batch.append(entry, text, endedAt: instant)
      return wakes(&state)
    }
    if isWakeNeeded == true { wake.signal() }
    return isWakeNeeded != nil
  }

  /// Callable from any thread. When the queue is full, it drops the bodies or the whole exchange; both are counted.
  func put(_ draft: RecordDraft, endedAt instant: MonotonicInstant) {
    let (bareSize, bodySize) = draft.lend { ($0.bareSize, $0.keptBodySize) }
    var size = bareSize + bodySize
    let isWakeNeeded = state.withLock { state in
      tapeline_lock_taken()
      defer { tapeline_lock_released() }
      guard !state.batch.isLast else { return false }
      if state.size > 0 {
        guard state.size + bareSize <= limit else {
          state.batch.droppedRecords += 1
          return wakes(&state)
        }
        if bodySize > 0, state.size + size > bodyLimit {
          state.batch.droppedBodies += 1
          draft.record.dropBodies()
          size = bareSize
        }
      }
      state.size += size
      state.batch.items.append(RecorderBatch.Item(ended: instant, content: .exchange(draft)))
      return wakes(&state)
    }
    if isWakeNeeded { wake.signal() }
  }

  /// Callable from any thread.
  var backlog: RecorderBacklog {
    let held = held.load(ordering: .relaxed)
    return state.withLock { state in
      let kept = state.inlets.reduce(0) { $0 + $1.count }
      return RecorderBacklog(exchanges: kept + state.batch.items.count + held, bytes: state.size, limit: limit)
    }
  }

  /// For the recorder's thread only.
  func note(held count: Int) {
    held.store(count, ordering: .relaxed)
  }

  /// Callable from any thread: exchanges that were put before belong to the old file.
  func requestRotation() {
    _ = hurry { $0.append(.rotate) }
  }

  /// Callable from any thread: exchanges that begin from now on belong to the page.
  func beginPage(title: String) -> PageID {
    var id = PageID.first
    _ = hurry { state in
      // The instant is read under the lock: exchanges that were put before began before.
      state.page = state.page.next
      ProcessRestart.keep(state.page.number, as: .page)
      id = state.page
      state.append(.begin(RecordedPage(id: id, title: title, began: .now)))
    }
    return id
  }

  /// Callable from any thread: the command comes after everything put before. `false` when the queue is closed.
  func put(_ command: RecorderCommand) -> Bool {
    hurry { $0.append(command) }
  }

  /// Callable from any thread: everything put before is written; later exchanges are not accepted.
  func close() {
    _ = hurry { $0.batch.isLast = true }
  }

  /// `false` when the queue is closed; `change` has not run then.
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

  /// Whether the recorder waits for what the batch now contains; if so, the caller must wake the recorder.
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

  /// For the recorder's thread only: gathers until `deadline` or until a batch is full, then waits as long as the queue is empty.
  ///
  /// Pass `batch` in cleared; it comes back filled: two arrays change places and no memory is allocated. At `duty` it may
  /// come back empty.
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
          // After the last batch, the queue stays closed for later callers.
          state.batch.isLast = batch.isLast
          // Under the lock: an inlet forgets its oldest exchange after it has put it.
          batch.horizon = state.horizon
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

/// Everything that the recorder takes from the queue at once.
struct RecorderBatch {
  /// In the order in which they were put.
  var items: [Item] = []
  /// The texts of the entries among the items, one after the other.
  private(set) var text: [UInt8] = []
  /// Commands to perform between the items, in order.
  var commands: [Step] = []
  /// Whether this is the last batch.
  var isLast = false
  /// Exchanges that ended after this may lack some that ended before them: their loops keep those.
  var horizon: MonotonicInstant?
  /// Exchanges in `items` that lost their bodies because the queue was full.
  var droppedBodies: UInt64 = 0
  /// Exchanges that were dropped because the queue was full.
  var droppedRecords: UInt64 = 0

  struct Step {
    /// How many of `items` come before the command.
    let position: Int
    let command: RecorderCommand
  }

  struct Item {
    let ended: MonotonicInstant
    let content: Content

    enum Content {
      case exchange(RecordDraft)
      /// Its loop has made the entry.
      case entry(MadeEntry, text: Range<Int>)
    }
  }

  /// Memory that grew while the disk was slow is freed.
  private static let largestKeptText = 4 << 20

  mutating func append(_ entry: consuming MadeEntry, _ text: Span<UInt8>, endedAt instant: MonotonicInstant) {
    let start = self.text.count
    self.text.append(bytes: text)
    items.append(Item(ended: instant, content: .entry(entry, text: start..<self.text.count)))
  }

  /// Appends an item of another batch.
  mutating func append(_ index: Int, of other: borrowing RecorderBatch) {
    let item = other.items[index]
    switch item.content {
    case .exchange: items.append(item)
    case .entry(let entry, let text): append(entry, other.text.span.extracting(text), endedAt: item.ended)
    }
  }

  /// The approximate bytes that the items take.
  var size: Int {
    items.reduce(text.count) { sum, item in
      if case .exchange(let draft) = item.content { sum + draft.lend { $0.fullSize } } else { sum }
    }
  }

  /// Whether items are in the order in which they ended, none after `horizon`.
  func isInOrder(_ range: Range<Int>, until horizon: MonotonicInstant?) -> Bool {
    for index in range.dropFirst() where items[index].ended < items[index - 1].ended { return false }
    guard let horizon, let last = range.last else { return true }
    return items[last].ended <= horizon
  }

  /// Empties the batch but keeps its memory.
  mutating func clear() {
    items.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: text.capacity <= Self.largestKeptText)
    commands.removeAll(keepingCapacity: true)
    horizon = nil
    droppedBodies = 0
    droppedRecords = 0
  }
}

/// What an inlet keeps: how many exchanges, and when the oldest ended. Written on its loop, read on any thread.
final class KeptExchanges: Sendable {
  private let nanoseconds = Atomic(none)
  private let number = Atomic(0)

  private static let none = Int64.max

  /// - Parameter instant: when the newest of `count` ended.
  func note(_ count: Int, endedAt instant: MonotonicInstant) {
    if count == 1 { nanoseconds.store(instant.nanoseconds, ordering: .releasing) }
    number.store(count, ordering: .relaxed)
  }

  func clear() {
    nanoseconds.store(Self.none, ordering: .releasing)
    number.store(0, ordering: .relaxed)
  }

  var count: Int { number.load(ordering: .relaxed) }

  var instant: MonotonicInstant? {
    let value = nanoseconds.load(ordering: .acquiring)
    return value == Self.none ? nil : MonotonicInstant(nanoseconds: value)
  }
}

/// What the recorder's thread needs to know of an entry besides its text, which begins behind the page.
struct MadeEntry {
  let id: UInt64
  let started: MonotonicInstant?
  let facts: ExchangeCounts
  /// Freed when the entry is in the log.
  let flight: Flight
}

/// A task for the recorder's thread besides recording.
enum RecorderCommand {
  case rotate
  case begin(RecordedPage)
  case note(bypassed: [BypassedConnections])
  case tell(RecordedCrash)
  /// Announces a copy: the recorder remembers, until then, which exchanges it records from now on.
  case expect(SnapshotRequest)
  /// Makes the copy from everything recorded so far, and from the `inFlight` exchanges that have not been recorded meanwhile.
  case snapshot(SnapshotRequest, inFlight: [ExchangeRecord])
}

/// The exchanges that wait in a recorder's queue.
package struct RecorderBacklog: Sendable, Hashable {
  package let exchanges: Int
  package let bytes: Int
  /// The limit in bytes: beyond three quarters of it, the queue drops bodies, beyond it whole exchanges.
  package let limit: Int
}

extension ExchangeRecord {
  /// The approximate memory that the exchange takes while it waits, without its bodies.
  var bareSize: Int {
    var size = MemoryLayout<ExchangeRecord>.stride + chunks.count * MemoryLayout<Chunk>.stride
    size += request?.size ?? 0
    size += response?.size ?? 0
    for head in informational { size += head.size }
    size += client.tcpHistory?.memorySize ?? 0
    size += server?.tcpHistory?.memorySize ?? 0
    return size
  }

  /// With its bodies.
  var fullSize: Int { bareSize + keptBodySize }

  fileprivate var keptBodySize: Int {
    var size = requestBody.bytes.count + responseBody.bytes.count
    for message in webSocketMessages { size += message.bytes.count + MemoryLayout<WebSocketMessage>.stride }
    return size
  }

  /// Leaves out everything that may be long.
  package mutating func dropBodies() {
    requestBody.dropBytes()
    responseBody.dropBytes()
    webSocketMessages = []
  }
}
