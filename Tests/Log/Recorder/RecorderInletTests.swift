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
    #expect(put().isEmpty)
    inlet.record(RecordDraft(try Self.large(id: 2)))
    #expect(put().isEmpty)
    inlet.handOn()
    inlet.handOn()
    #expect(queue.backlog.exchanges == 2)
    #expect(put() == [1, 2])
    #expect(queue.backlog.exchanges == 0)
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
    let size = try passed([record]).size
    let batch = try passed(Array(repeating: record, count: 4), limit: size + record.bareSize + 10)
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
