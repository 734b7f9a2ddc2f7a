package import TapelineCore
internal import TapelineHAR
internal import TapelineRedaction
internal import TapelineSystem
internal import TapelineTime

/// One loop's way into a recorder: makes the entries of small exchanges on the loop where they ended (docs/adr/0046).
///
/// The loop has their parts in its cache and its allocator, which the recorder's thread would have to fetch and give back one by
/// one. What is larger, or may take longer, goes to that thread as it is: the loop has others to serve.
package final class RecorderInlet: LoopRecorder {
  private let queue: RecorderQueue
  private let configuration: RecorderConfiguration
  private let key: RedactionKey
  private let clock: () -> MonotonicInstant
  /// The exchanges of this turn, in order.
  private var kept: [RecordDraft] = []
  /// Made for the first entry: a start need not wait for it.
  private var entryWriter: EntryWriter?
  private var text = JSONWriter(capacity: usualCapacity)

  private static let usualCapacity = 8 << 10
  /// Nobody else is served meanwhile. A hundred ordinary entries take as long; full of secrets, ten.
  private static let longestTurnNanoseconds: Int64 = 1_000_000

  /// - Parameter clock: says how long entries take to make.
  init(
    queue: RecorderQueue, configuration: RecorderConfiguration, key: RedactionKey,
    clock: @escaping () -> MonotonicInstant = { .now }
  ) {
    self.queue = queue
    self.configuration = configuration
    self.key = key
    self.clock = clock
  }

  /// Takes an exchange. It is put when the loop has nobody else to serve, see `handOn`.
  package func record(_ draft: RecordDraft) {
    draft.flight.end()
    kept.append(draft)
  }

  package var lagsBehind: Bool { queue.lagsBehind }

  package func awaitRoom(_ proceed: @escaping @Sendable () -> Void) { queue.awaitRoom(proceed) }

  /// Never waits for the disk; exchanges and bodies dropped by a full queue are counted.
  package func handOn() {
    guard !kept.isEmpty else { return }
    var mayMakeEntries = configuration.allowsEntriesOfLoops
    let begun = kept.count > 1 && mayMakeEntries ? clock() : nil
    for draft in kept {
      if !mayMakeEntries || !putEntry(of: draft) {
        queue.put(draft)
      } else if let begun {
        mayMakeEntries = clock().nanoseconds(since: begun) < Self.longestTurnNanoseconds
      }
    }
    kept.removeAll(keepingCapacity: true)
  }

  /// `false` if the exchange itself must be put. A full queue takes no more than an exchange without its bodies.
  private func putEntry(of draft: RecordDraft) -> Bool {
    let flight = draft.flight
    var entry = draft.lend { $0.hasSmallEntry ? makeEntry(of: $0, flight) : nil }
    guard entry != nil else { return false }
    guard text.withBytes({ queue.put(&entry, $0) }) else { return false }
    draft.releaseFlight()
    return true
  }

  /// Leaves its text in `text`.
  private func makeEntry(of record: ExchangeRecord, _ flight: Flight) -> MadeEntry {
    text.keepLast(0, largestCapacity: Self.usualCapacity)
    if entryWriter == nil { entryWriter = EntryWriter(configuration, key: key) }
    let total = entryWriter?.appendRest(of: record, to: &text) ?? 0
    let reportsError = entryWriter?.reportsOperationError ?? false
    return MadeEntry(
      id: record.id, started: record.started,
      facts: ExchangeCounts(record, totalMicroseconds: total, reportsError: reportsError), isRelayed: record.isRelayed,
      flight: flight)
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
    return writtenSize <= Self.smallSize
  }

  private static let smallSize = 3 << 10

  /// A few bytes may become many when they are decoded.
  private var hasCodedBody: Bool {
    request?.fields.contains(.contentEncoding) == true || response?.fields.contains(.contentEncoding) == true
  }
}
