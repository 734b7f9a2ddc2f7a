internal import TapelineCore

/// What the recorder takes from the queue at once.
struct RecorderBatch {
  var records: [ExchangeRecord] = []
  /// How many of `records` belong before each change of file, in order.
  var rotations: [Int] = []
  /// Nothing follows.
  var isLast = false
  /// Records among `records` that had to leave their bodies behind.
  var droppedBodies: UInt64 = 0
  /// Records that did not come at all.
  var droppedRecords: UInt64 = 0

  /// Forgets everything but the memory.
  mutating func clear() {
    records.removeAll(keepingCapacity: true)
    rotations.removeAll(keepingCapacity: true)
    droppedBodies = 0
    droppedRecords = 0
  }
}
