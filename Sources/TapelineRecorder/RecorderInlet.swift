package import TapelineCore
internal import TapelineHAR
internal import TapelineRedaction
internal import TapelineTime

/// One loop's way into a recorder: makes the entries of small exchanges on the loop where they ended (docs/adr/0046).
///
/// The loop has their parts in its cache and its allocator, which the recorder's thread would have to fetch and give back one by
/// one. What is larger, or may become larger, goes to that thread as it is: the loop has others to serve.
package final class RecorderInlet: LoopRecorder {
  private let queue: RecorderQueue
  private let configuration: RecorderConfiguration
  private let key: RedactionKey
  /// Exchanges whose entries are not made yet, in order.
  private var kept: [(draft: RecordDraft, ended: MonotonicInstant)] = []
  /// Tells other threads of them.
  private let shown: KeptExchanges
  /// Made for the first entry: a start need not wait for it.
  private var entryWriter: EntryWriter?
  private var text = JSONWriter(capacity: usualCapacity)

  private static let usualCapacity = 16 << 10

  init(queue: RecorderQueue, configuration: RecorderConfiguration, key: RedactionKey) {
    self.queue = queue
    self.configuration = configuration
    self.key = key
    shown = queue.addInlet()
  }

  /// Takes an exchange. Never waits for the disk; exchanges and bodies dropped by a full queue are counted.
  package func record(_ draft: RecordDraft) {
    let now = MonotonicInstant.now
    shown.note(kept.count + 1, endedAt: now)
    if configuration.allowsEntriesOfLoops, draft.lend({ $0.hasSmallEntry }) {
      kept.append((draft, now))
    } else {
      // It may be large, and the queue alone is bounded.
      putEntries()
      queue.put(draft, endedAt: now)
      shown.clear()
    }
  }

  package func handOn() {
    guard !kept.isEmpty else { return }
    putEntries()
    shown.clear()
  }

  private func putEntries() {
    for (draft, ended) in kept {
      let entry = draft.lend { makeEntry(of: $0) }
      let isPut = text.withBytes { queue.put(entry, $0, endedAt: ended) }
      // A full queue takes no more than an exchange without its bodies.
      if !isPut { queue.put(draft, endedAt: ended) }
    }
    kept.removeAll(keepingCapacity: true)
  }

  /// Leaves its text in `text`.
  private func makeEntry(of record: ExchangeRecord) -> MadeEntry {
    text.keepLast(0, largestCapacity: Self.usualCapacity)
    if entryWriter == nil { entryWriter = EntryWriter(configuration, key: key) }
    let total = entryWriter?.appendRest(of: record, to: &text) ?? 0
    return MadeEntry(id: record.id, started: record.started, facts: ExchangeCounts(record, totalMicroseconds: total))
  }
}

extension RecorderConfiguration {
  /// Files for bodies and the debug log belong to the recorder's thread, and a user's pattern may take any time.
  fileprivate var allowsEntriesOfLoops: Bool {
    bodiesDirectory == nil && debugLog == nil && redaction?.hasPatterns != true
  }
}

extension ExchangeRecord {
  /// Whether its entry takes a few microseconds to make.
  var hasSmallEntry: Bool {
    guard case .exchange = kind, webSocketMessages.isEmpty, !hasCodedBody else { return false }
    return fullSize <= Self.smallSize
  }

  private static let smallSize = 12 << 10

  /// A few bytes may become many when they are decoded.
  private var hasCodedBody: Bool {
    request?.fields.contains(.contentEncoding) == true || response?.fields.contains(.contentEncoding) == true
  }
}
