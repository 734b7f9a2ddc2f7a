internal import Dispatch
internal import TapelineCore

/// What happens on the recorder's thread: batches come from the queue, become entries, and go to the file.
///
/// Made by whoever makes the recorder, given away to the recorder's thread, and never shared.
final class RecorderWorker {
  private let queue: RecorderQueue
  private let onError: @Sendable (RecorderError) -> Void
  private var files: HARFileSeries
  private var entryWriter: EntryWriter
  private var debugLog: DebugLog?
  private var statistics = StatisticsCollector()
  /// Each is reported once.
  private var errors: [RecorderError] = []

  /// Batches follow each other at this distance at least: an entry is on disk soon, and load makes batches larger, not more.
  private static let batchInterval = DispatchTimeInterval.milliseconds(5)

  init(configuration: RecorderConfiguration, queue: RecorderQueue) throws(RecorderError) {
    self.queue = queue
    onError = configuration.onError
    entryWriter = EntryWriter(configuration)
    if let destination = configuration.debugLog { debugLog = try DebugLog(destination) }
    files = try HARFileSeries(configuration)
  }

  /// Records until the queue is closed and empty.
  func run() -> RecorderSummary {
    var batch = RecorderBatch()
    repeat {
      batch.clear()
      queue.take(into: &batch, gatheringUntil: .now() + Self.batchInterval)
      record(batch)
    } while !batch.isLast
    return statistics.summary(files: files.paths, lostRecords: files.unwritten, writeError: errors.first)
  }

  private func record(_ batch: borrowing RecorderBatch) {
    statistics.count(droppedBodies: batch.droppedBodies, droppedRecords: batch.droppedRecords)
    files.count(missing: MissingCounts(bodies: batch.droppedBodies, exchanges: batch.droppedRecords))
    var next = 0
    for rotation in batch.rotations {
      record(batch.records[next..<rotation])
      next = rotation
      reporting { () throws(RecorderError) in try files.rotate() }
    }
    record(batch.records[next...])
    reporting { () throws(RecorderError) in try files.flush() }
    reporting { () throws(RecorderError) in try debugLog?.flush() }
  }

  private func record(_ records: ArraySlice<ExchangeRecord>) {
    for index in records.indices { record(records[index]) }
  }

  private func record(_ record: borrowing ExchangeRecord) {
    var total: Int64 = 0
    reporting { () throws(RecorderError) in
      try files.append { total = entryWriter.append(record, to: &$0) }
    }
    statistics.count(record, totalMicroseconds: total)
    debugLog?.append(entryWriter.debugText(of: record))
  }

  /// Does what may fail on the disk. Traffic goes on whatever happens there.
  private func reporting(_ body: () throws(RecorderError) -> Void) {
    do throws(RecorderError) {
      try body()
    } catch {
      guard !errors.contains(error) else { return }
      errors.append(error)
      onError(error)
    }
  }
}
