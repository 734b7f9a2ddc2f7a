internal import TapelineCore

/// Everything that the recorder takes from the queue at once.
struct RecorderBatch {
  var records: [ExchangeRecord] = []
  /// Commands to perform between the records, in order.
  var commands: [Step] = []
  /// Whether this is the last batch.
  var isLast = false
  /// Records in `records` that lost their bodies because the queue was full.
  var droppedBodies: UInt64 = 0
  /// Records that were dropped because the queue was full.
  var droppedRecords: UInt64 = 0

  struct Step {
    /// How many of `records` come before the command.
    let position: Int
    let command: RecorderCommand
  }

  /// Empties the batch but keeps its memory.
  mutating func clear() {
    records.removeAll(keepingCapacity: true)
    commands.removeAll(keepingCapacity: true)
    droppedBodies = 0
    droppedRecords = 0
  }
}

/// A task for the recorder's thread besides recording.
enum RecorderCommand {
  case rotate
  case begin(RecordedPage)
  /// Announces a copy: the recorder remembers, until then, which exchanges it records from now on.
  case expect(SnapshotRequest)
  /// Makes the copy from everything recorded so far, and from the `inFlight` exchanges that have not been recorded meanwhile.
  case snapshot(SnapshotRequest, inFlight: [ExchangeRecord])
}
