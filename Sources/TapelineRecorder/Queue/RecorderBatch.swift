internal import TapelineCore

/// What the recorder takes from the queue at once.
struct RecorderBatch {
  var records: [ExchangeRecord] = []
  /// What is to be done between them, in order.
  var commands: [Step] = []
  /// Nothing follows.
  var isLast = false
  /// Records among `records` that had to leave their bodies behind.
  var droppedBodies: UInt64 = 0
  /// Records that did not come at all.
  var droppedRecords: UInt64 = 0

  struct Step {
    /// How many of `records` come before it.
    let position: Int
    let command: RecorderCommand
  }

  /// Forgets everything but the memory.
  mutating func clear() {
    records.removeAll(keepingCapacity: true)
    commands.removeAll(keepingCapacity: true)
    droppedBodies = 0
    droppedRecords = 0
  }
}

/// What the recorder's thread is asked to do besides recording.
enum RecorderCommand {
  case rotate
  case begin(RecordedPage)
  /// A copy will be asked for: what is recorded from now on is to be remembered until then.
  case expect(SnapshotRequest)
  /// The copy is made of what is recorded by now, and of these exchanges, but for those of them that are.
  case snapshot(SnapshotRequest, inFlight: [ExchangeRecord])
}
