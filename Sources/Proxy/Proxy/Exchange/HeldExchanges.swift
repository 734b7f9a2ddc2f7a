internal import TapelineCore
internal import TapelineTime
internal import TapelineTransport

/// The exchanges whose requests are here, and that do not begin until the recorder has caught up. Loop-bound.
struct HeldExchanges {
  /// By their numbers, which are in order of arrival.
  private var exchanges: [UInt64: (task: SessionTask, draft: RecordDraft)] = [:]

  var isEmpty: Bool { exchanges.isEmpty }

  mutating func append(_ task: SessionTask, of draft: RecordDraft, at now: MonotonicInstant) {
    draft.record.recorderWait = ExchangeRecord.RecorderWait(from: now)
    exchanges[draft.lend { $0.id }] = (task, draft)
  }

  /// The exchange is over: its client has not waited.
  mutating func remove(_ draft: RecordDraft, at now: MonotonicInstant) {
    guard exchanges.removeValue(forKey: draft.lend { $0.id }) != nil else { return }
    draft.record.recorderWait?.end(at: now)
  }

  /// Their tasks, in order of arrival.
  mutating func removeAll(at now: MonotonicInstant) -> [SessionTask] {
    defer { exchanges = [:] }
    return exchanges.sorted { $0.key < $1.key }.map { _, exchange in
      exchange.draft.record.recorderWait?.end(at: now)
      return exchange.task
    }
  }
}
