import Dispatch
import Glibc
import Synchronization
import TapelineCore
import TapelineHAR
import TapelineRedaction
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

@Suite("A loop makes small entries itself")
struct RecorderInletTests {
  private let directory: TemporaryDirectory
  private var configuration: RecorderConfiguration

  init() throws {
    directory = try TemporaryDirectory()
    configuration = .example(in: directory)
    configuration.redaction = nil
  }

  private func entries(_ path: String) throws -> [HAREntry] {
    try HARLog(json: readFile(path)).entries
  }

  private static func ids(_ entries: [HAREntry]) -> [Int?] {
    entries.map { $0.custom["_exchangeId"]?.integer }
  }

  private static func large(id: UInt64 = 7, fields: [(String, String)] = [("Host", "example.com")]) throws -> ExchangeRecord {
    try ExampleExchange.make(
      id: id, fields: fields, responseBody: ExampleExchange.body(String(repeating: "line\n", count: 5_000)))
  }

  /// What the queue got of each exchange: itself, or its entry.
  private func passed(_ records: [ExchangeRecord], limit: Int = 1 << 20) throws -> RecorderBatch {
    let queue = RecorderQueue(limit: limit)
    let inlet = RecorderInlet(queue: queue, configuration: configuration, key: .init())
    for record in records { inlet.handOn(record) }
    var batch = RecorderBatch()
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    return batch
  }

  @Test("The log is the same, whoever makes its entries")
  func sameLog() throws {
    var other = configuration
    other.path = directory.path("b.har")
    other.debugLog = .file(directory.path("debug.log"))
    let records = [
      try ExampleExchange.make(id: 1), try Self.large(id: 2), try ExampleExchange.refused(), try ExampleExchange.tunnel(),
      try ExampleExchange.make(id: 3, url: "http://example.com/?a=b", requestBody: ExampleExchange.body("{}")),
    ]
    // The other's thread makes all entries, because it has a debug log.
    let (first, second) = (try Recorder(configuration: configuration), try Recorder(configuration: other))
    for recorder in [first, second] {
      let inlet = recorder.inlet()
      for record in records { inlet.handOn(record) }
    }
    var (one, two) = (first.finish(), second.finish())
    (one.files, two.files) = ([], [])
    #expect(one == two)
    #expect(first.traffic.hosts.keys == second.traffic.hosts.keys)
    #expect(first.traffic.recentFailures == second.traffic.recentFailures)
    #expect(try readFile(configuration.path) == readFile(other.path))
  }

  @Test("What is large, coded or a tunnel goes to the recorder's thread as it is")
  func smallOnly() throws {
    let coded = try ExampleExchange.make(id: 3, responseFields: [("Content-Encoding", "gzip")])
    let batch = try passed([
      ExampleExchange.make(id: 1), Self.large(id: 2), coded, ExampleExchange.tunnel(), ExampleExchange.refused(),
    ])
    #expect(batch.drafts.map(\.record.id) == [2, 3, 9])
    #expect(batch.made == [1, 7])
  }

  @Test("Entries take a loop a millisecond at most, then the recorder's thread goes on")
  func longEntries() throws {
    let queue = RecorderQueue(limit: 1 << 20)
    var now = MonotonicInstant(nanoseconds: 0)
    let inlet = RecorderInlet(queue: queue, configuration: configuration, key: .init()) {
      defer { now = now.advanced(byNanoseconds: 400_000) }
      return now
    }
    for id in UInt64(1)...5 { inlet.record(RecordDraft(try ExampleExchange.make(id: id))) }
    inlet.handOn()
    inlet.handOn(try ExampleExchange.make(id: 6))
    var batch = RecorderBatch()
    queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
    #expect(batch.made == [1, 2, 3, 6])
    #expect(batch.drafts.map(\.record.id) == [4, 5])
  }

  @Test("Exchanges wait until they are handed on")
  func waiting() throws {
    let queue = RecorderQueue(limit: 1 << 20)
    let inlet = RecorderInlet(queue: queue, configuration: configuration, key: .init())
    func put() -> [UInt64] {
      var batch = RecorderBatch()
      #expect(queue.put(.expect(SnapshotRequest())))
      queue.take(into: &batch, gatheringUntil: .now(), duty: nil)
      return batch.made + batch.drafts.map(\.record.id)
    }
    inlet.record(RecordDraft(try ExampleExchange.make(id: 1)))
    #expect(queue.backlog.exchanges == 1, "what is kept waits, too")
    #expect(put().isEmpty)
    inlet.record(RecordDraft(try Self.large(id: 2)))
    #expect(put().isEmpty)
    inlet.handOn()
    inlet.handOn()
    #expect(queue.backlog.exchanges == 2)
    #expect(put() == [1, 2])
    #expect(queue.backlog.exchanges == 0)
  }

  /// Waits for another thread to make `condition` hold.
  private func wait(until condition: () -> Bool) throws {
    let deadline = Deadline.after(seconds: 60)
    while !condition() {
      if deadline.hasPassed { throw TestSupportError.timedOut(waitingFor: "the recorder's thread") }
      sched_yield()
    }
  }

  /// What another loop ended later is here first.
  private func overtake(_ recorder: Recorder, _ ending: (RecorderInlet) throws -> Void) throws {
    let (slow, fast) = (recorder.inlet(), recorder.inlet())
    slow.record(RecordDraft(try ExampleExchange.make(id: 1)))
    for id in UInt64(2)...4 { fast.handOn(id == 3 ? try Self.large(id: id) : try ExampleExchange.make(id: id)) }
    slow.record(RecordDraft(try ExampleExchange.make(id: 5)))
    try ending(slow)
  }

  @Test("The log has exchanges in the order in which they ended, on whatever loop")
  func orderOfEnds() throws {
    let recorder = try Recorder(configuration: configuration)
    try overtake(recorder) { slow in
      // Two are kept, and three are held.
      try wait { recorder.backlog.bytes == 0 }
      #expect(recorder.counters.fileEntries == 0)
      slow.handOn()
    }
    #expect(recorder.finish().exchanges == 5)
    #expect(Self.ids(try entries(configuration.path)) == [1, 2, 3, 4, 5])
  }

  @Test("A copy and the end wait for no loop")
  func heldExchanges() throws {
    let recorder = try Recorder(configuration: configuration)
    let path = directory.path("copy.har")
    try overtake(recorder) { _ in _ = try recorder.snapshot(to: path) }
    #expect(Self.ids(try entries(path)) == [2, 3, 4])
    #expect(recorder.finish().exchanges == 3)
  }

  @Test("A loop that is held up for long costs the order, and not memory")
  func heldBound() throws {
    let recorder = try Recorder(configuration: configuration)
    let body = ExampleExchange.body([UInt8](repeating: 0x61, count: 1 << 20))
    try overtake(recorder) { _ in
      let fast = recorder.inlet()
      for id in UInt64(6)...10 { fast.handOn(try ExampleExchange.make(id: id, responseBody: body)) }
      try wait { recorder.counters.fileEntries >= 4 }
    }
    #expect(recorder.finish().exchanges == 8)
  }

  @Test("What is taken while its inlet still shows it needs no other exchange to be written")
  func shownTooLong() throws {
    let (queue, board) = (RecorderQueue(limit: 1 << 20), CounterBoard())
    let thread = try RecorderThread(
      running: RecorderWorker(
        configuration: configuration, key: .init(), queue: queue, board: board, traffic: TrafficBoard()))
    let shown = queue.addInlet()
    let now = MonotonicInstant.now
    shown.note(1, endedAt: now)
    queue.put(RecordDraft(try ExampleExchange.make()), endedAt: now.advanced(byNanoseconds: 1))
    let waits = Result {
      try wait { queue.backlog.bytes == 0 }
      #expect(board.counters.fileEntries == 0)
      shown.clear()
      try wait { board.counters.fileEntries == 1 }
    }
    queue.close()
    #expect(thread.join().exchanges == 1)
    try waits.get()
  }

  @Test("What one loop keeps holds up nobody when it is handed on")
  func holdsEnd() throws {
    let recorder = try Recorder(configuration: configuration)
    try overtake(recorder) { slow in
      slow.handOn()
      try wait { recorder.counters.fileEntries == 5 }
    }
    _ = recorder.finish()
  }

  @Test("Files of bodies and the debug log belong to the recorder's thread", arguments: [true, false])
  func files(keepsBodies: Bool) throws {
    var tests = self
    if keepsBodies { tests.configuration.bodiesDirectory = "" } else { tests.configuration.debugLog = .standardOutput }
    let batch = try tests.passed([ExampleExchange.make(id: 1)])
    #expect(batch.drafts.map(\.record.id) == [1])
  }

  @Test("A full queue drops the body of a small exchange, then the exchange")
  func fullQueue() throws {
    let record = try ExampleExchange.make(id: 1, responseBody: ExampleExchange.body(String(repeating: "x", count: 2_000)))
    let text = try passed([record]).text.count
    let batch = try passed(Array(repeating: record, count: 4), limit: text + record.bareSize + 10)
    #expect(batch.made == [1])
    #expect(batch.drafts.map(\.record.responseBody.bytes.count) == [0])
    let (bodies, records) = (batch.droppedBodies, batch.droppedRecords)
    #expect(bodies == 1 && records == 2)
  }

  @Test("Nothing comes through a closed queue")
  func closed() throws {
    let recorder = try Recorder(configuration: configuration)
    let inlet = recorder.inlet()
    inlet.handOn(try ExampleExchange.make(id: 1))
    let summary = recorder.finish()
    inlet.handOn(try ExampleExchange.make(id: 2))
    #expect(recorder.finish() == summary)
    #expect(Self.ids(try entries(configuration.path)) == [1])
  }

  @Test("Entries of many loops, pages and files keep the order of each loop")
  func order() throws {
    let recorder = try Recorder(configuration: configuration)
    let records = try (0..<1_200).map { try $0.isMultiple(of: 7) ? Self.large(id: $0) : ExampleExchange.make(id: $0) }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      let inlet = recorder.inlet()
      for number in 0..<300 {
        inlet.record(RecordDraft(records[thread * 300 + number]))
        if number.isMultiple(of: 10) { inlet.handOn() }
        if number == 150 { recorder.rotate() }
      }
      inlet.handOn()
    }
    let summary = recorder.finish()
    #expect(summary.exchanges == 1_200 && summary.files.count == 5)
    let ids = try summary.files.flatMap { try Self.ids(entries($0)) }.compactMap { $0 }
    for thread in 0..<4 {
      #expect(ids.filter { $0 / 300 == thread } == Array(thread * 300..<(thread + 1) * 300))
    }
  }

  @Test("The page is the one that was current when the exchange began")
  func pages() throws {
    func exchange(_ id: UInt64) throws -> ExchangeRecord {
      var marks = TimelineMarks()
      marks.stamp(.requestFirstByte, at: .now)
      return try ExampleExchange.make(id: id, marks: marks)
    }
    var configuration = configuration
    configuration.keeps = { _, _, title in title != "third" }
    let recorder = try Recorder(configuration: configuration)
    let inlet = recorder.inlet()
    let first = try exchange(1)
    _ = recorder.beginPage(title: "second")
    inlet.handOn(first)
    inlet.handOn(try exchange(2))
    _ = recorder.beginPage(title: "third")
    inlet.handOn(try exchange(3))
    #expect(recorder.finish().filteredRecords == 1)
    #expect(try entries(configuration.path).map(\.pageref) == ["page_1", "page_2"])
  }

  @Test("A secret has one token in the entries of all threads")
  func tokens() throws {
    var configuration = configuration
    configuration.redaction = .standard
    let recorder = try Recorder(configuration: configuration)
    let fields = [("Host", "example.com"), ("Authorization", "Bearer abcdefghijkl")]
    let (small, large) = (try ExampleExchange.make(fields: fields), try Self.large(fields: fields))
    for inlet in [recorder.inlet(), recorder.inlet()] {
      inlet.handOn(small)
      inlet.handOn(large)
    }
    _ = recorder.finish()
    let values = try entries(configuration.path).map { $0.request.headers.first { $0.name == "Authorization" }?.value }
    #expect(values.count == 4 && Set(values).count == 1)
    #expect(values.first??.contains("SENSITIVE_") == true)
  }

  @Test("A copy has an exchange once that ends while the copy is made")
  func snapshot() throws {
    let recorder = try Recorder(configuration: configuration)
    let inlet = recorder.inlet()
    var ending = try ExampleExchange.make(id: 2)
    inlet.handOn(try ExampleExchange.make(id: 1))
    let path = directory.path("copy.har")
    _ = try recorder.snapshot(to: path) {
      inlet.handOn(ending)
      ending.inFlightAt = ExampleExchange.anchor.instant
      return [ending]
    }
    #expect(Self.ids(try entries(path)) == [1, 2])
    _ = recorder.finish()
  }
}
