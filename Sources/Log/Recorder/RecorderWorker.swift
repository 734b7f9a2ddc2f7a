internal import Dispatch
internal import Synchronization
internal import TapelineCore
internal import TapelineHAR
internal import TapelineRedaction
internal import TapelineSystem
internal import TapelineTime

/// The work on the recorder's thread: takes batches from the queue, makes the entries that the loops have not made, and writes
/// them all to the file.
///
/// Made on the thread that makes the recorder, then handed to the recorder's thread, and never shared.
final class RecorderWorker {
  /// The title of the first page, as it is in the log.
  let title: String
  private let queue: RecorderQueue
  private let board: CounterBoard
  private let onError: @Sendable (RecorderError) -> Void
  private var files: HARFileSeries
  private var entryWriter: EntryWriter
  private var debugLog: DebugLog?
  private var statistics: StatisticsCollector
  private var duties: RecorderDuties
  /// For each announced copy, the exchanges recorded since its announcement.
  private var recordedMeanwhile: [ObjectIdentifier: Set<UInt64>] = [:]
  /// The flights of the entries that the next write brings into the log.
  private var landing: [Flight] = []
  /// Every error is reported once.
  private var errors: [RecorderError] = []
  /// Bytes that were taken while more was waiting.
  private var piledUp = 0

  /// After so much, freed memory is worth giving back.
  private static let largePile = 64 << 20
  /// The least time between two batches: an entry is on disk soon, and load makes batches larger, not more frequent.
  private static let batchInterval = DispatchTimeInterval.milliseconds(5)

  init(
    configuration: RecorderConfiguration, key: RedactionKey, queue: RecorderQueue, board: CounterBoard, traffic: TrafficBoard
  ) throws(RecorderError) {
    self.queue = queue
    self.board = board
    statistics = StatisticsCollector(board: traffic)
    onError = configuration.onError
    var entryWriter = EntryWriter(configuration, key: key)
    if let directory = configuration.bodiesDirectory {
      entryWriter.bodies = try BodyStore(
        directory: directory, besideHAR: configuration.path, syncs: configuration.sync == .eachWrite)
    }
    if let destination = configuration.debugLog { debugLog = try DebugLog(destination) }
    title = entryWriter.hidden(commandLine: configuration.title)
    files = try HARFileSeries(
      configuration, firstPage: RecordedPage(id: .first, title: title, began: configuration.anchor.instant),
      patience: DiskPatience(configuration, queue))
    self.entryWriter = entryWriter
    duties = RecorderDuties(sync: configuration.sync, rotationInterval: configuration.rotationInterval, now: .now)
    publish()
  }

  /// Records until the queue is closed and empty.
  func run() -> RecorderSummary {
    var batch = RecorderBatch()
    repeat {
      batch.clear()
      queue.take(into: &batch, gatheringUntil: .now() + Self.batchInterval, duty: duties.next(after: .now))
      record(batch)
      notePile(batch)
      attend(isLast: batch.isLast)
      publish()
    } while !batch.isLast
    return statistics.summary(files: files.paths, lostRecords: files.unwritten, writeError: errors.first)
  }

  private func record(_ batch: borrowing RecorderBatch) {
    statistics.count(droppedBodies: batch.droppedBodies, droppedRecords: batch.droppedRecords)
    files.count(missing: MissingCounts(bodies: batch.droppedBodies, exchanges: batch.droppedRecords))
    var next = 0
    for step in batch.commands {
      for index in next..<step.position { record(index, of: batch) }
      next = step.position
      perform(step.command)
    }
    for index in next..<batch.items.count { record(index, of: batch) }
    // The next one is here, and its text goes into the same write.
    guard !batch.isFollowed else { return }
    flush()
    for flight in landing { flight.free() }
    landing.removeAll(keepingCapacity: true)
    reporting { () throws(RecorderError) in try debugLog?.flush() }
  }

  /// Entries that have piled up, and now are written, lay among memory that is still used.
  private func notePile(_ batch: borrowing RecorderBatch) {
    if batch.isFollowed {
      piledUp += batch.size
    } else {
      if piledUp >= Self.largePile { duties.noteLargePile(at: .now) }
      piledUp = 0
    }
  }

  private func perform(_ command: RecorderCommand) {
    switch command {
    case .rotate:
      rotate()
    case .begin(let page):
      let title = entryWriter.hidden(commandLine: page.title)
      reporting { () throws(RecorderError) in
        try files.begin(RecordedPage(id: page.id, title: title, began: page.began))
      }
    case .note(let connections):
      files.note(bypassed: connections.map { $0.renamed(entryWriter.hidden(commandLine: $0.program)) })
    case .noteNetwork(let network): files.note(network)
    case .tell(let crash):
      LostFlight.suspectAll()
      reporting { () throws(RecorderError) in
        try files.append(remarkAt: crash.instant) { entryWriter.append(crash, page: $1, to: &$0) }
      }
      flush()
      LostFlight.forgetAll()
    case .expect(let request):
      recordedMeanwhile[ObjectIdentifier(request)] = []
    case .snapshot(let request, let inFlight):
      flush()
      let recorded = recordedMeanwhile.removeValue(forKey: ObjectIdentifier(request)) ?? []
      request.fulfil { () throws(RecorderError) in
        try files.snapshotSource(with: inFlight.filter { !recorded.contains($0.id) }) {
          _ = entryWriter.append($0, page: $2, to: &$1)
        }
      }
    }
  }

  private func record(_ index: Int, of batch: borrowing RecorderBatch) {
    switch batch.items[index] {
    case .exchange(let draft): record(draft)
    case .entry(let entry, let text): record(entry, batch.text.span.extracting(text))
    }
  }

  private func record(_ draft: RecordDraft) {
    let (id, started) = draft.lend { ($0.id, $0.started) }
    var total: Int64 = 0
    let isKept = append(id, startedAt: started) { writer, page in
      total = draft.lend { entryWriter.append($0, page: page, to: &writer) }
    }
    if let error = entryWriter.takeBodyError() { report(error) }
    statistics.count(draft.lend { ExchangeCounts($0, totalMicroseconds: total, reportsError: entryWriter.reportsOperationError) })
    if isKept, debugLog != nil { debugLog?.append(draft.lend { entryWriter.debugText(of: $0) }) }
  }

  private func record(_ entry: MadeEntry, _ text: Span<UInt8>) {
    append(entry.id, startedAt: entry.started) { writer, page in
      page.beginEntry(in: &writer)
      writer.append(json: text)
    }
    statistics.count(entry.facts)
    landing.append(entry.flight)
  }

  /// Adds the entry of an exchange, and returns whether it is kept.
  @discardableResult
  private func append(
    _ id: UInt64, startedAt instant: MonotonicInstant?, _ write: (inout JSONWriter, PageID) -> Void
  ) -> Bool {
    for request in recordedMeanwhile.keys { recordedMeanwhile[request]?.insert(id) }
    var isKept = true
    reporting { () throws(RecorderError) in
      isKept = try files.append(startedAt: instant, write)
    }
    if !isKept { statistics.countFiltered() }
    return isKept
  }

  private func flush() {
    reporting { () throws(RecorderError) in
      if try files.flush() { duties.noteWrite(at: .now) }
    }
  }

  private func rotate() {
    // The old file is synced before the next file begins, if the policy syncs at all.
    flush()
    synchronize()
    reporting { () throws(RecorderError) in try files.rotate() }
    duties.noteRotation(at: .now)
  }

  /// Performs the tasks that are due.
  private func attend(isLast: Bool) {
    let now = MonotonicInstant.now
    if duties.isRotationDue(at: now) {
      if files.entryCount > 0 { rotate() } else { duties.noteRotation(at: now) }
    }
    if duties.isSyncDue(at: now) || isLast { synchronize() }
    if duties.isTrimDue(at: now) {
      CurrentProcess.giveBackMemory()
      duties.noteTrim()
    }
  }

  private func synchronize() {
    guard duties.isUnsynced else { return }
    reporting { () throws(RecorderError) in try files.synchronize() }
    duties.noteSync()
  }

  private func publish() {
    let summary = statistics.counts(files: files.paths, lostRecords: files.unwritten, writeError: errors.first)
    summary.keep()
    board.publish(
      RecorderCounters(summary, fileSize: files.size, fileEntries: files.entryCount, page: files.currentPage.text))
  }

  /// Runs an operation that may fail on the disk. Traffic goes on even if it fails.
  private func reporting(_ body: () throws(RecorderError) -> Void) {
    do throws(RecorderError) {
      try body()
    } catch {
      report(error)
    }
  }

  private func report(_ error: RecorderError) {
    guard !errors.contains(error) else { return }
    errors.append(error)
    onError(error)
  }
}

/// The recorder's timed tasks, which are due even without traffic.
struct RecorderDuties {
  private let sync: SyncPolicy
  private let rotationInterval: Duration?
  private var rotation: MonotonicInstant?
  /// The time of the oldest write that is not synced.
  private var oldestUnsynced: MonotonicInstant?
  /// When freed memory goes back to the system.
  private var trim: MonotonicInstant?

  /// A disk that has stopped may stop again at once.
  private static let trimDelay = Duration.seconds(1)

  init(sync: SyncPolicy, rotationInterval: Duration?, now: MonotonicInstant) {
    self.sync = sync
    self.rotationInterval = rotationInterval
    noteRotation(at: now)
  }

  /// Whether data must be synced; never with the policy `never`.
  var isUnsynced: Bool { oldestUnsynced != nil }

  /// When the next task is due; `nil` when there is only traffic to wait for.
  func next(after now: MonotonicInstant) -> DispatchTime? {
    guard let instant = [rotation, syncTime, trim].compactMap({ $0 }).min() else { return nil }
    return .now() + .nanoseconds(Int(max(0, instant.nanoseconds(since: now))))
  }

  func isRotationDue(at now: MonotonicInstant) -> Bool {
    rotation.map { $0 <= now } ?? false
  }

  func isSyncDue(at now: MonotonicInstant) -> Bool {
    syncTime.map { $0 <= now } ?? false
  }

  func isTrimDue(at now: MonotonicInstant) -> Bool {
    trim.map { $0 <= now } ?? false
  }

  /// The queue held much, and holds little now.
  mutating func noteLargePile(at now: MonotonicInstant) {
    trim = now.advanced(by: Self.trimDelay)
  }

  mutating func noteTrim() {
    trim = nil
  }

  mutating func noteRotation(at now: MonotonicInstant) {
    rotation = rotationInterval.map(now.advanced(by:))
  }

  mutating func noteWrite(at now: MonotonicInstant) {
    switch sync {
    case .never: break
    case .eachWrite, .interval: oldestUnsynced = oldestUnsynced ?? now
    }
  }

  mutating func noteSync() {
    oldestUnsynced = nil
  }

  private var syncTime: MonotonicInstant? {
    switch sync {
    case .never: nil
    case .eachWrite: oldestUnsynced
    case .interval(let interval): oldestUnsynced?.advanced(by: interval)
    }
  }
}

/// The recorder's thread, from start to join. It takes no signals: the main thread handles them.
struct RecorderThread: ~Copyable {
  private let thread: SystemThread
  private let box: RecorderBox

  /// Starts the thread and gives it the worker.
  init(running worker: sending RecorderWorker) throws(RecorderError) {
    let box = RecorderBox(worker)
    do throws(SystemCallError) {
      thread = try SystemThread(name: "tapeline-record", takesSignals: false) { box.run() }
    } catch {
      throw .cannotStartThread(code: error.code)
    }
    self.box = box
  }

  /// Waits until the worker has written everything.
  consuming func join() -> RecorderSummary {
    thread.join()
    return box.summary
  }
}

/// Carries the worker to the thread, and the summary back.
private final class RecorderBox: Sendable {
  /// Locked for as long as the worker runs; only the recorder's thread asks for it.
  private let worker: Mutex<RecorderWorker>
  private let result = Mutex(RecorderSummary())

  init(_ worker: sending RecorderWorker) {
    self.worker = Mutex(worker)
  }

  var summary: RecorderSummary { result.withLock { $0 } }

  func run() {
    let summary = worker.withLock { $0.run() }
    result.withLock { $0 = summary }
  }
}
