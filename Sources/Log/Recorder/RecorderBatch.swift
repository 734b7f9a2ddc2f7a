internal import TapelineCore
internal import TapelineHTTP
internal import TapelineSystem
internal import TapelineBase
internal import TapelineTime

/// A piece of the queue: the recorder takes one at a time.
struct RecorderBatch {
  /// In the order in which they were put.
  var items: [Item] = []
  /// The texts of the entries among the items, one after the other.
  private(set) var text: [UInt8] = []
  /// Commands to perform between the items, in order.
  var commands: [Step] = []
  /// The memory that it holds, in bytes.
  private(set) var size = 0
  /// Whether the next one is complete.
  var isFollowed = false
  /// Whether this is the last batch.
  var isLast = false
  /// Exchanges in `items` that lost their bodies because the queue was full.
  var droppedBodies: UInt64 = 0
  /// Exchanges that were dropped because the queue was full.
  var droppedRecords: UInt64 = 0

  struct Step {
    /// How many of `items` come before the command.
    let position: Int
    let command: RecorderCommand
  }

  enum Item {
    case exchange(RecordDraft)
    /// Its loop has made the entry.
    case entry(MadeEntry, text: Range<Int>)
  }

  /// A batch that holds so much is complete.
  private static let usualSize = 1 << 20
  /// Memory that grew beyond it is freed.
  private static let largestKeptText = 4 << 20

  /// The memory that an entry takes in a batch.
  static func size(of text: Span<UInt8>) -> Int { text.count + MemoryLayout<Item>.stride }

  /// With room for as much as makes it complete, in blocks so large that the system has them back as soon as they are freed.
  static func roomy() -> RecorderBatch {
    var batch = RecorderBatch()
    batch.text.reserveCapacity(usualSize + usualSize / 16)
    batch.items.reserveCapacity(usualSize / 1_600)
    return batch
  }

  var isComplete: Bool { size >= Self.usualSize }

  mutating func append(_ entry: consuming MadeEntry, _ text: Span<UInt8>) {
    let start = self.text.count
    self.text.append(bytes: text)
    items.append(.entry(entry, text: start..<self.text.count))
    size += Self.size(of: text)
  }

  /// - Parameter size: the memory that it takes.
  mutating func append(_ draft: RecordDraft, size: Int) {
    items.append(.exchange(draft))
    self.size += size
  }

  mutating func append(_ command: RecorderCommand) {
    commands.append(Step(position: items.count, command: command))
  }

  /// Empties the batch but keeps its memory.
  mutating func clear() {
    items.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: text.capacity <= Self.largestKeptText)
    commands.removeAll(keepingCapacity: true)
    size = 0
    isFollowed = false
    droppedBodies = 0
    droppedRecords = 0
  }
}

/// The complete batches that wait, the oldest first. Taking one moves none of the others.
struct BatchLine {
  private var batches: [RecorderBatch] = []
  /// Those before it have been taken.
  private var first = 0

  private static let mostTaken = 256

  var isEmpty: Bool { first == batches.count }

  mutating func append(_ batch: consuming RecorderBatch) { batches.append(batch) }

  /// The oldest one; `nil` if there is none.
  mutating func next() -> RecorderBatch? {
    guard !isEmpty else { return nil }
    var batch = RecorderBatch()
    swap(&batch, &batches[first])
    first += 1
    if isEmpty || first > Self.mostTaken {
      batches = Array(batches[first...])
      first = 0
    }
    return batch
  }
}

/// The facts of an entry that the recorder's thread needs besides its text, which begins behind the page.
struct MadeEntry {
  let id: UInt64
  let started: MonotonicInstant?
  let facts: ExchangeCounts
  /// Whether a server was asked: see `ExchangeRecord.isRelayed`.
  let isRelayed: Bool
  /// Freed when the entry is in the log.
  let flight: Flight
}

/// A task for the recorder's thread besides recording.
enum RecorderCommand {
  case rotate
  case begin(RecordedPage)
  case note(bypassed: [BypassedConnections])
  case noteNetwork(RecordedNetwork)
  case tell(RecordedCrash)
  /// Announces a copy: the recorder remembers, until then, which exchanges it records from now on.
  case expect(SnapshotRequest)
  /// Makes the copy from everything recorded so far, and from the `inFlight` exchanges that have not been recorded meanwhile.
  case snapshot(SnapshotRequest, inFlight: [ExchangeRecord])
}

extension ExchangeRecord {
  /// Whether a server was asked. Such exchanges begin only when the recorder does not lag behind, if it is waited for.
  var isRelayed: Bool { attempts > 0 && !isTunnel }

  /// The approximate memory that the exchange takes while it waits, without its bodies.
  var bareSize: Int {
    var size = MemoryLayout<ExchangeRecord>.stride + Self.objectsSize + seriesSize
    size += request?.fields.memorySize ?? 0
    size += response?.fields.memorySize ?? 0
    for head in informational { size += head.fields.memorySize }
    return size + (http2?.memorySize ?? 0)
  }

  /// The draft, the flight, texts of the target, and what the allocator adds to each of a dozen objects.
  private static let objectsSize = 512

  private var seriesSize: Int {
    arrivals.memorySize + (grpc?.others.memorySize ?? 0) + (client.tcpHistory?.memorySize ?? 0)
      + (server?.tcpHistory?.memorySize ?? 0)
  }

  /// About how much of it has to be written.
  var writtenSize: Int {
    keptBodySize + seriesSize + informational.reduce((request?.size ?? 0) + (response?.size ?? 0)) { $0 + $1.size }
  }

  /// By the room that the bytes have: an array that grew piece by piece has up to twice what is in it.
  var keptBodySize: Int {
    var size = requestBody.bytes.capacity + responseBody.bytes.capacity
    for message in webSocketMessages { size += message.bytes.capacity + MemoryLayout<WebSocketMessage>.stride }
    return size
  }

  /// Leaves out everything that may be long.
  package mutating func dropBodies() {
    requestBody.dropBytes()
    responseBody.dropBytes()
    webSocketMessages = []
  }
}
